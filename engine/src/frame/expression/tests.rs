//! Expressions against an evaluator that shares nothing with the one under test.

use super::*;
use crate::frame::value::Value;
use proptest::prelude::*;

struct Names;

impl Environment<Name> for Names {
    fn get(&self, name: &Name) -> Result<Value, String> {
        match &*name.text {
            "three" => Ok(Value::Int(3)),
            "half" => Ok(Value::Real(0.5)),
            "yes" => Ok(Value::Bool(true)),
            other => Err(format!("no {other}")),
        }
    }
}

fn value(text: &str) -> Result<Value, String> {
    evaluate(&parse(text).map_err(|fault| fault.message)?, &Names)
}

/// A tree of the test's own.
#[derive(Clone, Debug)]
enum Tree {
    Int(i64),
    Real(f64),
    Bool(bool),
    Name(&'static str),
    Negate(Box<Tree>),
    Not(Box<Tree>),
    Two(Box<Tree>, &'static str, Box<Tree>),
    Within(Box<Tree>, [Box<Tree>; 2]),
    If([Box<Tree>; 3]),
    Abs(Box<Tree>),
    Max(Box<Tree>, Box<Tree>),
}

#[derive(Clone, Copy, Debug)]
enum Known {
    Int(i128),
    Real(f64),
    Bool(bool),
}

impl Known {
    fn real(self) -> f64 {
        match self {
            Self::Int(i) => i as f64,
            Self::Real(x) => x,
            Self::Bool(b) => f64::from(u8::from(b)),
        }
    }

    fn whole(self) -> Option<i128> {
        match self {
            Self::Int(i) => Some(i),
            Self::Real(_) => None,
            Self::Bool(b) => Some(i128::from(b)),
        }
    }

    fn truth(self) -> bool {
        self.real() != 0.0
    }
}

/// The value, or none where Python raises or a number leaves its range.
fn known(tree: &Tree) -> Option<Known> {
    Some(match tree {
        Tree::Int(i) => Known::Int(i128::from(*i)),
        Tree::Real(x) => Known::Real(*x),
        Tree::Bool(b) => Known::Bool(*b),
        Tree::Name("three") => Known::Int(3),
        Tree::Name("half") => Known::Real(0.5),
        Tree::Name(_) => Known::Bool(true),
        Tree::Negate(a) => match known(a)? {
            Known::Real(x) => Known::Real(-x),
            a => in_range(-a.whole()?)?,
        },
        Tree::Not(a) => Known::Bool(!known(a)?.truth()),
        Tree::Two(a, "and", b) => {
            let a = known(a)?;
            if a.truth() { known(b)? } else { a }
        }
        Tree::Two(a, "or", b) => {
            let a = known(a)?;
            if a.truth() { a } else { known(b)? }
        }
        Tree::Two(a, with, b) => two(known(a)?, with, known(b)?)?,
        Tree::Within(a, items) => {
            let a = known(a)?;
            let items = [known(&items[0])?, known(&items[1])?];
            Known::Bool(items.iter().any(|item| item.real() == a.real()))
        }
        Tree::If([then, condition, otherwise]) => {
            if known(condition)?.truth() {
                known(then)?
            } else {
                known(otherwise)?
            }
        }
        Tree::Abs(a) => match known(a)? {
            Known::Real(x) => Known::Real(x.abs()),
            a => in_range(a.whole()?.abs())?,
        },
        Tree::Max(a, b) => {
            let (a, b) = (known(a)?, known(b)?);
            if b.real() > a.real() { b } else { a }
        }
    })
}

fn in_range(i: i128) -> Option<Known> {
    i64::try_from(i).ok().map(|i| Known::Int(i128::from(i)))
}

fn two(a: Known, with: &str, b: Known) -> Option<Known> {
    let order = a.real().partial_cmp(&b.real())?;
    Some(match (with, a.whole(), b.whole()) {
        ("==", ..) => Known::Bool(order.is_eq()),
        ("!=", ..) => Known::Bool(order.is_ne()),
        ("<", ..) => Known::Bool(order.is_lt()),
        (">=", ..) => Known::Bool(order.is_ge()),
        ("+", Some(a), Some(b)) => in_range(a + b)?,
        ("-", Some(a), Some(b)) => in_range(a - b)?,
        ("*", Some(a), Some(b)) => in_range(a * b)?,
        ("//" | "%", _, Some(0)) => return None,
        ("//", Some(a), Some(b)) => in_range(floor(a, b))?,
        ("%", Some(a), Some(b)) => in_range(a - b * floor(a, b))?,
        ("/", ..) if b.real() == 0.0 => return None,
        ("+", ..) => finite(a.real() + b.real())?,
        ("-", ..) => finite(a.real() - b.real())?,
        ("*", ..) => finite(a.real() * b.real())?,
        ("/", ..) => finite(a.real() / b.real())?,
        _ => return None,
    })
}

fn floor(a: i128, b: i128) -> i128 {
    let q = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
}

fn finite(x: f64) -> Option<Known> {
    x.is_finite().then_some(Known::Real(x))
}

/// Python's levels of binding, loosest first.
fn level(tree: &Tree) -> u8 {
    match tree {
        Tree::If(_) => 0,
        Tree::Two(_, "or", _) => 1,
        Tree::Two(_, "and", _) => 2,
        Tree::Not(_) => 3,
        Tree::Within(..) | Tree::Two(_, "==" | "!=" | "<" | ">=", _) => 4,
        Tree::Two(_, "+" | "-", _) => 5,
        Tree::Two(..) => 6,
        Tree::Negate(_) => 7,
        _ => 9,
    }
}

/// The tree as text, with brackets only where they are needed.
fn text(tree: &Tree, at_least: u8) -> String {
    let own = level(tree);
    let inner = match tree {
        Tree::Int(i) => i.to_string(),
        Tree::Real(x) => format!("{x:?}"),
        Tree::Bool(b) => if *b { "True" } else { "False" }.to_owned(),
        Tree::Name(name) => (*name).to_owned(),
        Tree::Negate(a) => format!("-{}", text(a, 7)),
        Tree::Not(a) => format!("not {}", text(a, 3)),
        Tree::Two(a, with, b) => {
            // A comparison on the left would make a chain of it.
            let left = if own == 4 { 5 } else { own };
            format!("{} {with} {}", text(a, left), text(b, own + 1))
        }
        Tree::Within(a, [b, c]) => format!("{} in ({}, {})", text(a, 5), text(b, 0), text(c, 0)),
        Tree::If([a, b, c]) => format!("{} if {} else {}", text(a, 1), text(b, 1), text(c, 0)),
        Tree::Abs(a) => format!("abs({})", text(a, 0)),
        Tree::Max(a, b) => format!("max({}, {})", text(a, 0), text(b, 0)),
    };
    if own < at_least { format!("({inner})") } else { inner }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (0_i64..20).prop_map(Tree::Int),
        (0_u8..40).prop_map(|n| Tree::Real(f64::from(n) / 8.0)),
        any::<bool>().prop_map(Tree::Bool),
        prop_oneof![Just("three"), Just("half"), Just("yes")].prop_map(Tree::Name),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let boxed = inner.prop_map(Box::new);
        let sign = prop::sample::select(vec![
            "+", "-", "*", "/", "//", "%", "==", "!=", "<", ">=", "and", "or",
        ]);
        prop_oneof![
            4 => (boxed.clone(), sign, boxed.clone()).prop_map(|(a, s, b)| Tree::Two(a, s, b)),
            1 => boxed.clone().prop_map(Tree::Negate),
            1 => boxed.clone().prop_map(Tree::Not),
            1 => (boxed.clone(), [boxed.clone(), boxed.clone()]).prop_map(|(a, b)| Tree::Within(a, b)),
            1 => [boxed.clone(), boxed.clone(), boxed.clone()].prop_map(Tree::If),
            1 => boxed.clone().prop_map(Tree::Abs),
            1 => (boxed.clone(), boxed).prop_map(|(a, b)| Tree::Max(a, b)),
        ]
    })
}

/// `//` and `%` of reals are tested on their own below.
fn of_reals(tree: &Tree) -> bool {
    match tree {
        Tree::Two(a, "//" | "%", b) => {
            let real = |tree: &Tree| !matches!(known(tree), Some(Known::Int(_) | Known::Bool(_)));
            real(a) || real(b) || of_reals(a) || of_reals(b)
        }
        Tree::Two(a, _, b) | Tree::Max(a, b) => of_reals(a) || of_reals(b),
        Tree::Negate(a) | Tree::Not(a) | Tree::Abs(a) => of_reals(a),
        Tree::Within(a, [b, c]) | Tree::If([a, b, c]) => of_reals(a) || of_reals(b) || of_reals(c),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn values_agree_with_an_independent_evaluator(tree in trees()) {
        prop_assume!(!of_reals(&tree));
        let text = text(&tree, 0);
        let folded = parse(&text).map(Expr::folded);
        match (known(&tree), value(&text)) {
            (None, Err(_)) => {}
            (Some(known), Ok(value)) => {
                let same = match (known, &value) {
                    (Known::Int(a), Value::Int(b)) => a == i128::from(*b),
                    (Known::Real(a), Value::Real(b)) => a == *b,
                    (Known::Bool(a), Value::Bool(b)) => a == *b,
                    _ => false,
                };
                prop_assert!(same, "{text}: {known:?}, not {value:?}");
                let again = evaluate(&folded.unwrap(), &Names).unwrap();
                prop_assert_eq!(again, value, "folding changes {}", text);
            }
            (known, value) => prop_assert!(false, "{text}: {known:?}, not {value:?}"),
        }
    }

    /// Whatever is typed, the parser answers; it neither panics nor takes long.
    #[test]
    fn any_text_is_answered(text in r#"[-+*/%<>=!()\[\]{},:.'" a-z0-9_\\]{0,80}"#) {
        let _ = value(&text);
    }

    #[test]
    fn real_division_rounds_down(a in -1_000_i32..1_000, b in -50_i32..50) {
        prop_assume!(b != 0);
        let (a, b) = (f64::from(a) / 4.0, f64::from(b) / 4.0);
        let quotient = value(&format!("({a:?}) // ({b:?})")).unwrap().number().unwrap();
        let rest = value(&format!("({a:?}) % ({b:?})")).unwrap().number().unwrap();
        prop_assert_eq!(quotient, (a / b).floor());
        prop_assert_eq!(quotient * b + rest, a);
        prop_assert!(rest == 0.0 || (rest < 0.0) == (b < 0.0));
    }
}

#[test]
fn the_rest_of_the_language() {
    let holds = [
        "1 < three <= 3 != 4",
        "not 1 > 2",
        "'solids' in ('solids', 'stripes') and 'x' not in []",
        "{'a': 1, 'b': [2, 3]}['b'][-1] == 3",
        "2 ** 3 ** 2 == 512 and -2 ** 2 == -4 and 2 ** -1 == half",
        "7 // -2 == -4 and -7 % 3 == 2 and 7 % -3 == -2",
        "1 == 1.0 == True and 'a' != 1",
        "sigmoid(0) == 0.5 and sum([1, 2, 3]) == 6 and len('abc') == 3",
        "(1,) == [1] and () == [] and min([3, 1, 2]) == 1 == min(3, 1, 2)",
        "[1, 2] < [1, 3] and 'a' < 'b' and any([0, 1]) and all([])",
        "int(2.9) == 2 and floor(-2.5) == -3 and ceil(2.1) == 3 and abs(-three) == 3",
        "1_000 == 1e3 and .5 == half and \"it's\" == 'it\\'s'",
        "9007199254740993 != 9007199254740992.0",
    ];
    for text in holds {
        assert_eq!(value(text), Ok(Value::Bool(true)), "{text}");
    }
    assert_eq!(value("0 or 'b'"), Ok(Value::text("b")));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, offset, part) in [
        ("1 +", 3, "expected a value, found the end"),
        ("a = 1", 2, "compare with `==`"),
        ("sigmod(1)", 0, "did you mean `sigmoid`"),
        ("(1", 2, "expected `,`"),
        ("'abc", 0, "not closed"),
        ("a.b", 1, "index with"),
        ("1 2", 2, "after the end"),
        ("1 if 2", 6, "expected `else`"),
        ("x is None", 2, "compare with `==`"),
        ("lambda x", 0, "cannot stand here"),
        ("1e999", 0, "no number that can be held"),
        ("99999999999999999999", 0, "no number that can be held"),
    ] {
        let fault = parse(text).expect_err(text);
        assert!(fault.offset == offset && fault.message.contains(part), "{text}: {fault:?}");
    }
    for text in [
        "1 / 0",
        "1 // 0",
        "exp(1000)",
        "log(0)",
        "[1][2]",
        "{'a': 1}['b']",
        "'a' + 1",
        "1 < 'a'",
        "9223372036854775807 + 1",
    ] {
        assert!(value(text).is_err(), "{text}");
    }
}

#[test]
fn depth_and_length_are_limited() {
    let deep = [
        "(".repeat(5_000) + "1" + &")".repeat(5_000),
        "-".repeat(4_000) + "1",
        "not ".repeat(900) + "1",
        "[".repeat(2_000),
        "1+".repeat(1_500) + "1",
        "1**".repeat(1_000) + "1",
    ];
    for text in deep {
        assert!(parse(&text).is_err());
    }
    assert!(parse(&"1 ".repeat(MAX_LENGTH)).is_err());
    let wide = vec!["True"; 400].join(" and ");
    assert_eq!(value(&wide), Ok(Value::Bool(true)));
}
