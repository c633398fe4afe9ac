//! Text to tokens.

use super::Fault;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Int(i64),
    Real(f64),
    Text(Arc<str>),
    /// A name or a word of the language.
    Word(Arc<str>),
    /// An operator or bracket.
    Symbol(&'static str),
}

/// Longest first, so that `**` is not read as `*` twice.
const SYMBOLS: [&str; 22] = [
    "**", "//", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{",
    "}", ",", ":", ".",
];

/// The tokens of `text`, each with the characters before it.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Fault> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if c.is_whitespace() {
            at += 1;
            continue;
        }
        let number =
            c.is_ascii_digit() || (c == '.' && chars.get(at + 1).is_some_and(char::is_ascii_digit));
        let (token, end) = if number {
            read_number(&chars, at)?
        } else if c == '\'' || c == '"' {
            read_text(&chars, at)?
        } else if c.is_alphabetic() || c == '_' {
            let end = end_of(&chars, at, |c| c.is_alphanumeric() || c == '_');
            (Token::Word(chars[at..end].iter().collect::<String>().into()), end)
        } else {
            read_symbol(&chars, at)?
        };
        tokens.push((at, token));
        at = end;
    }
    Ok(tokens)
}

fn end_of(chars: &[char], from: usize, belongs: impl Fn(char) -> bool) -> usize {
    chars[from..].iter().position(|c| !belongs(*c)).map_or(chars.len(), |n| from + n)
}

fn read_symbol(chars: &[char], at: usize) -> Result<(Token, usize), Fault> {
    for symbol in SYMBOLS {
        if symbol.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c)) {
            return Ok((Token::Symbol(symbol), at + symbol.len()));
        }
    }
    let hint = match chars[at] {
        '=' => "; compare with `==`",
        '&' => "; write `and`",
        '|' => "; write `or`",
        '!' => "; write `not`",
        _ => "",
    };
    Err(Fault::new(at, format!("`{}` does not belong in an expression{hint}", chars[at])))
}

fn read_number(chars: &[char], at: usize) -> Result<(Token, usize), Fault> {
    let digits = |from| end_of(chars, from, |c| c.is_ascii_digit() || c == '_');
    let mut end = digits(at);
    let mut real = false;
    if chars.get(end) == Some(&'.') {
        real = true;
        end = digits(end + 1);
    }
    if matches!(chars.get(end), Some('e' | 'E')) {
        let sign = usize::from(matches!(chars.get(end + 1), Some('+' | '-')));
        if chars.get(end + 1 + sign).is_some_and(char::is_ascii_digit) {
            real = true;
            end = digits(end + 1 + sign);
        }
    }
    let text: String = chars[at..end].iter().filter(|c| **c != '_').collect();
    let bad = || Fault::new(at, format!("`{text}` is no number that can be held"));
    if chars.get(end).is_some_and(|c| c.is_alphanumeric()) {
        return Err(Fault::new(end, format!("a letter right after the number `{text}`")));
    }
    let token = if real {
        let value: f64 = text.parse().map_err(|_| bad())?;
        if !value.is_finite() {
            return Err(bad());
        }
        Token::Real(value)
    } else {
        Token::Int(text.parse().map_err(|_| bad())?)
    };
    Ok((token, end))
}

fn read_text(chars: &[char], at: usize) -> Result<(Token, usize), Fault> {
    let quote = chars[at];
    let mut text = String::new();
    let mut i = at + 1;
    while let Some(&c) = chars.get(i) {
        if c == quote {
            return Ok((Token::Text(text.into()), i + 1));
        }
        if c == '\\' {
            i += 1;
            match chars.get(i) {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(&escaped @ ('\\' | '\'' | '"')) => text.push(escaped),
                _ => return Err(Fault::new(i, "unknown escape; known: \\n \\t \\\\ \\' \\\"")),
            }
        } else {
            text.push(c);
        }
        i += 1;
    }
    Err(Fault::new(at, format!("text that begins with {quote} is not closed")))
}
