//! Tokens to a tree, by recursive descent along Python's grammar. Depth is limited.

use super::lexer::{Token, tokens};
use super::{Arithmetic, Comparison, Expr, Fault, Function, MAX_DEPTH, MAX_LENGTH, Name};
use crate::frame::value::Value;
use crate::naming::did_you_mean;
use std::sync::Arc;

/// An expression and the depth of its tree.
type Tree = (Expr<Name>, usize);

/// Reads the whole of `text` as one expression.
pub(in crate::frame) fn parse(text: &str) -> Result<Expr<Name>, Fault> {
    if text.len() > MAX_LENGTH {
        let message = format!("longer than {MAX_LENGTH} bytes; split it with `derived`");
        return Err(Fault::new(0, message));
    }
    let tokens = tokens(text)?;
    let end = text.chars().count();
    let mut parser = Parser { tokens, at: 0, end, depth: 0 };
    let (expr, _) = parser.expression()?;
    match parser.tokens.get(parser.at) {
        None => Ok(expr),
        Some((offset, token)) => {
            Err(Fault::new(*offset, format!("{} after the end of the expression", show(token))))
        }
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    /// Characters in the text.
    end: usize,
    depth: usize,
}

const WORDS: [&str; 12] =
    ["and", "or", "not", "in", "if", "else", "True", "False", "None", "is", "lambda", "for"];

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessEqual),
    (">=", Comparison::GreaterEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

fn show(token: &Token) -> String {
    match token {
        Token::Int(i) => format!("`{i}`"),
        Token::Real(x) => format!("`{x}`"),
        Token::Text(text) => format!("the text '{text}'"),
        Token::Word(word) => format!("`{word}`"),
        Token::Symbol(symbol) => format!("`{symbol}`"),
    }
}

impl Parser {
    fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |(offset, _)| *offset)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some((_, Token::Symbol(s))) if *s == symbol);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some((_, Token::Word(w))) if &**w == word);
        self.at += usize::from(found);
        found
    }

    fn expected(&self, what: &str) -> Fault {
        let found = self.tokens.get(self.at).map_or("the end".to_owned(), |(_, t)| show(t));
        Fault::new(self.offset(), format!("expected {what}, found {found}"))
    }

    fn need(&mut self, symbol: &str) -> Result<(), Fault> {
        if self.take(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    /// One level deeper for the length of `inner`.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep(self.offset()));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// A tree over others, unless it is too deep.
    fn over(&self, expr: Expr<Name>, depths: &[usize]) -> Result<Tree, Fault> {
        let depth = 1 + depths.iter().copied().max().unwrap_or(0);
        if depth > MAX_DEPTH { Err(too_deep(self.offset())) } else { Ok((expr, depth)) }
    }

    fn expression(&mut self) -> Result<Tree, Fault> {
        self.nested(|p| {
            let (then, a) = p.disjunction()?;
            if !p.take_word("if") {
                return Ok((then, a));
            }
            let (condition, b) = p.disjunction()?;
            if !p.take_word("else") {
                return Err(p.expected("`else`"));
            }
            let (otherwise, c) = p.expression()?;
            let (condition, then, otherwise) = (condition.into(), then.into(), otherwise.into());
            p.over(Expr::If { condition, then, otherwise }, &[a, b, c])
        })
    }

    fn disjunction(&mut self) -> Result<Tree, Fault> {
        self.chain("or", Self::conjunction, Expr::Or)
    }

    fn conjunction(&mut self) -> Result<Tree, Fault> {
        self.chain("and", Self::negation, Expr::And)
    }

    fn chain(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Result<Tree, Fault>,
        join: fn(Vec<Expr<Name>>) -> Expr<Name>,
    ) -> Result<Tree, Fault> {
        let (first, depth) = part(self)?;
        if !self.take_word(word) {
            return Ok((first, depth));
        }
        let (mut parts, mut depths) = (vec![first], vec![depth]);
        loop {
            let (next, depth) = part(self)?;
            parts.push(next);
            depths.push(depth);
            if !self.take_word(word) {
                return self.over(join(parts), &depths);
            }
        }
    }

    fn negation(&mut self) -> Result<Tree, Fault> {
        if self.take_word("not") {
            let (inner, depth) = self.nested(Self::negation)?;
            return self.over(Expr::Not(inner.into()), &[depth]);
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Tree, Fault> {
        let (first, depth) = self.sum()?;
        let (mut rest, mut depths) = (Vec::new(), vec![depth]);
        while let Some(with) = self.comparison_sign()? {
            let (next, depth) = self.sum()?;
            rest.push((with, next));
            depths.push(depth);
        }
        if rest.is_empty() {
            return Ok((first, depth));
        }
        self.over(Expr::Compare(first.into(), rest), &depths)
    }

    fn comparison_sign(&mut self) -> Result<Option<Comparison>, Fault> {
        for (symbol, with) in COMPARISONS {
            if self.take(symbol) {
                return Ok(Some(with));
            }
        }
        if self.take_word("in") {
            return Ok(Some(Comparison::In));
        }
        let offset = self.offset();
        if self.take_word("is") {
            return Err(Fault::new(offset, "`is` is not known; compare with `==`"));
        }
        if self.take_word("not") {
            if self.take_word("in") {
                return Ok(Some(Comparison::NotIn));
            }
            return Err(self.expected("`in` after `not`"));
        }
        Ok(None)
    }

    fn joined(
        &mut self,
        part: fn(&mut Self) -> Result<Tree, Fault>,
        signs: &[(&str, Arithmetic)],
    ) -> Result<Tree, Fault> {
        let (mut left, mut depth) = part(self)?;
        while let Some((_, with)) = signs.iter().find(|(symbol, _)| self.take(symbol)) {
            let (right, other) = part(self)?;
            (left, depth) =
                self.over(Expr::Binary(left.into(), *with, right.into()), &[depth, other])?;
        }
        Ok((left, depth))
    }

    fn sum(&mut self) -> Result<Tree, Fault> {
        self.joined(Self::product, &[("+", Arithmetic::Add), ("-", Arithmetic::Subtract)])
    }

    fn product(&mut self) -> Result<Tree, Fault> {
        let signs = [
            ("*", Arithmetic::Multiply),
            ("/", Arithmetic::Divide),
            ("//", Arithmetic::FloorDivide),
            ("%", Arithmetic::Remainder),
        ];
        self.joined(Self::signed, &signs)
    }

    fn signed(&mut self) -> Result<Tree, Fault> {
        let minus = self.take("-");
        if !minus && !self.take("+") {
            return self.power();
        }
        let (inner, depth) = self.nested(Self::signed)?;
        let signed = if minus { Expr::Negate(inner.into()) } else { Expr::Plus(inner.into()) };
        self.over(signed, &[depth])
    }

    fn power(&mut self) -> Result<Tree, Fault> {
        let (base, depth) = self.postfix()?;
        if !self.take("**") {
            return Ok((base, depth));
        }
        let (exponent, other) = self.nested(Self::signed)?;
        let power = Expr::Binary(base.into(), Arithmetic::Power, exponent.into());
        self.over(power, &[depth, other])
    }

    fn postfix(&mut self) -> Result<Tree, Fault> {
        let (mut expr, mut depth) = self.atom()?;
        while self.take("[") {
            let (index, other) = self.expression()?;
            self.need("]")?;
            (expr, depth) = self.over(Expr::Index(expr.into(), index.into()), &[depth, other])?;
        }
        match self.tokens.get(self.at) {
            Some((offset, Token::Symbol("."))) => {
                Err(Fault::new(*offset, "`.` is not known here; index with `[...]`"))
            }
            Some((offset, Token::Symbol("("))) => {
                Err(Fault::new(*offset, "only a named function can be called"))
            }
            _ => Ok((expr, depth)),
        }
    }

    fn atom(&mut self) -> Result<Tree, Fault> {
        let offset = self.offset();
        let Some((_, token)) = self.tokens.get(self.at).cloned() else {
            return Err(self.expected("a value"));
        };
        let literal = |value| Ok((Expr::Literal(value), 1));
        self.at += 1;
        match token {
            Token::Int(i) => literal(Value::Int(i)),
            Token::Real(x) => literal(Value::Real(x)),
            Token::Text(text) => literal(Value::Text(text)),
            Token::Word(word) => self.word(&word, offset),
            Token::Symbol("(") => self.bracket(),
            Token::Symbol("[") => {
                let (items, depths) = self.items("]")?;
                self.over(Expr::List(items), &depths)
            }
            Token::Symbol("{") => self.mapping(),
            Token::Symbol(_) => {
                self.at -= 1;
                Err(self.expected("a value"))
            }
        }
    }

    fn word(&mut self, word: &Arc<str>, offset: usize) -> Result<Tree, Fault> {
        match &**word {
            "True" => return Ok((Expr::Literal(Value::Bool(true)), 1)),
            "False" => return Ok((Expr::Literal(Value::Bool(false)), 1)),
            "None" => return Ok((Expr::Literal(Value::None), 1)),
            word if WORDS.contains(&word) => {
                return Err(Fault::new(offset, format!("`{word}` cannot stand here")));
            }
            _ => {}
        }
        if !self.take("(") {
            return Ok((Expr::Reference(Name { text: word.clone(), offset }), 1));
        }
        let known = super::function::FUNCTIONS.map(|(name, _)| name);
        let function = Function::named(word).ok_or_else(|| {
            let hint = did_you_mean(word, known);
            let known = known.join(", ");
            Fault::new(offset, format!("no function `{word}`{hint}; known: {known}"))
        })?;
        let (items, depths) = self.items(")")?;
        if !function.takes(items.len()) {
            let message = format!("`{word}` does not take {} arguments", items.len());
            return Err(Fault::new(offset, message));
        }
        self.over(Expr::Call(function, items), &depths)
    }

    /// After `(`: a bracketed expression, or a tuple if a comma stands in it.
    fn bracket(&mut self) -> Result<Tree, Fault> {
        if self.take(")") {
            return Ok((Expr::List(Vec::new()), 1));
        }
        let (first, depth) = self.expression()?;
        if self.take(")") {
            return Ok((first, depth));
        }
        self.need(",")?;
        let (mut items, mut depths) = (vec![first], vec![depth]);
        let (rest, others) = self.items(")")?;
        items.extend(rest);
        depths.extend(others);
        self.over(Expr::List(items), &depths)
    }

    /// Expressions with commas between them, up to `close`; a last comma is allowed.
    fn items(&mut self, close: &str) -> Result<(Vec<Expr<Name>>, Vec<usize>), Fault> {
        let (mut items, mut depths) = (Vec::new(), Vec::new());
        while !self.take(close) {
            if !items.is_empty() {
                self.need(",")?;
                if self.take(close) {
                    break;
                }
            }
            let (item, depth) = self.expression()?;
            items.push(item);
            depths.push(depth);
        }
        Ok((items, depths))
    }

    fn mapping(&mut self) -> Result<Tree, Fault> {
        let (mut entries, mut depths): (Vec<(Arc<str>, _)>, _) = (Vec::new(), Vec::new());
        while !self.take("}") {
            if !entries.is_empty() {
                self.need(",")?;
                if self.take("}") {
                    break;
                }
            }
            let offset = self.offset();
            let Some((_, Token::Text(key))) = self.tokens.get(self.at).cloned() else {
                return Err(self.expected("a key in quotes"));
            };
            self.at += 1;
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(Fault::new(offset, format!("the key '{key}' stands twice")));
            }
            self.need(":")?;
            let (value, depth) = self.expression()?;
            entries.push((key, value));
            depths.push(depth);
        }
        self.over(Expr::Dict(entries), &depths)
    }
}

fn too_deep(offset: usize) -> Fault {
    let message = format!("nested more than {MAX_DEPTH} deep; split it with `derived`");
    Fault::new(offset, message)
}
