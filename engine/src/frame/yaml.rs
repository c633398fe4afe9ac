//! YAML text to a tree of nodes that know their place. Untrusted input: size, depth and key
//! length are limited, and anchors, aliases, tags and repeated keys are refused.

use super::error::{At, FrameError};
use granit_parser::{Event, Marker, Parser, ScalarStyle, Span};
use std::collections::HashSet;
use std::ops::Range;

/// The most text that is read, bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// A node and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub at: At,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Vec<(Key, Node)>),
}

#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub text: String,
    pub style: Style,
    /// Where the scalar stands in the text, quotes included.
    pub bytes: Range<usize>,
}

/// How a scalar was written: only plain ones can be numbers or truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Block,
}

#[derive(Clone, Debug)]
pub(super) struct Key {
    pub at: At,
    pub text: String,
}

/// Reads one document.
pub(super) fn parse(text: &str) -> Result<Node, FrameError> {
    if text.len() > MAX_BYTES {
        return Err(FrameError::TooLarge { limit: MAX_BYTES });
    }
    let options = granit_parser::options! {
        emit_comments: false,
        disallow_directives: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut builder = Builder::default();
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) =
            next.map_err(|error| refuse(place(error.marker()), format!("YAML: {}", error.info())))?;
        builder.event(event, &span)?;
    }
    builder.root.ok_or_else(|| {
        refuse(At { line: 1, column: 1 }, "the file is empty; write a definition".to_owned())
    })
}

fn place(mark: &Marker) -> At {
    At { line: mark.line(), column: mark.col() + 1 }
}

fn refuse(at: At, message: String) -> FrameError {
    FrameError::Yaml { at, message }
}

/// An open collection.
enum Open {
    Sequence(At, Vec<Node>),
    Mapping { at: At, entries: Vec<(Key, Node)>, seen: HashSet<String>, key: Option<Key> },
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), FrameError> {
        let at = place(&span.start);
        if event.tag().is_some() {
            return Err(refuse(at, "tags such as `!name` are not used here; remove it".to_owned()));
        }
        if event.is_alias() || event.anchor_id().is_some_and(|id| id > 0) {
            let message =
                "anchors (`&name`) and aliases (`*name`) are refused; write the value out";
            return Err(refuse(at, message.to_owned()));
        }
        match event {
            Event::Scalar(text, style, ..) => self.scalar(at, text.into_owned(), style, span),
            Event::SequenceStart(..) => self.begin(at, Open::Sequence(at, Vec::new())),
            Event::MappingStart(..) => {
                let (entries, seen) = (Vec::new(), HashSet::new());
                self.begin(at, Open::Mapping { at, entries, seen, key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(at),
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let message = "a second document (`---`); one definition a file".to_owned();
                    return Err(refuse(at, message));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, at: At, open: Open) -> Result<(), FrameError> {
        if self.open.len() >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} deep; flatten it");
            return Err(refuse(at, message));
        }
        if matches!(self.open.last(), Some(Open::Mapping { key: None, .. })) {
            return Err(refuse(at, "a key must be a word, not a list or mapping".to_owned()));
        }
        self.open.push(open);
        Ok(())
    }

    fn end(&mut self, at: At) -> Result<(), FrameError> {
        let node = match self.open.pop() {
            Some(Open::Sequence(at, items)) => Node { at, body: Body::Sequence(items) },
            Some(Open::Mapping { at, entries, .. }) => Node { at, body: Body::Mapping(entries) },
            None => return Err(refuse(at, "a list or mapping ends that never began".to_owned())),
        };
        self.add(node)
    }

    fn scalar(
        &mut self,
        at: At,
        text: String,
        style: ScalarStyle,
        span: &Span,
    ) -> Result<(), FrameError> {
        if let Some(Open::Mapping { seen, key: key @ None, .. }) = self.open.last_mut() {
            if !seen.insert(text.clone()) {
                let message = format!("the key `{text}` stands twice in one mapping; remove one");
                return Err(refuse(at, message));
            }
            *key = Some(Key { at, text });
            return Ok(());
        }
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        };
        let bytes = span.byte_range().unwrap_or_default();
        self.add(Node { at, body: Body::Scalar(Scalar { text, style, bytes }) })
    }

    fn add(&mut self, node: Node) -> Result<(), FrameError> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::Sequence(_, items)) => items.push(node),
            Some(Open::Mapping { entries, key, .. }) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => return Err(refuse(node.at, "a value without a key".to_owned())),
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str, at: (usize, usize), part: &str) {
        let error = parse(text).expect_err(text);
        assert_eq!(error.at(), Some(At { line: at.0, column: at.1 }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }

    #[test]
    fn nodes_know_their_place() {
        let Body::Mapping(entries) = parse("a: 1\nb: [x, 'y']\n").expect("valid").body else {
            panic!("a mapping")
        };
        assert_eq!(entries[1].0.at, At { line: 2, column: 1 });
        let Body::Sequence(items) = &entries[1].1.body else { panic!("a sequence") };
        assert_eq!(items[1].at, At { line: 2, column: 8 });
        let Body::Scalar(scalar) = &items[1].body else { panic!("a scalar") };
        assert_eq!((scalar.style, scalar.bytes.clone()), (Style::Quoted, 12..15));
    }

    #[test]
    fn what_could_hurt_is_refused() {
        fails("a: 1\na: 2\n", (2, 1), "twice");
        fails("a: &x 1\n", (1, 7), "anchors");
        fails("a: &x [1]\nb: *x\n", (1, 7), "anchors");
        fails("a: !!str 1\n", (1, 10), "tags");
        fails("a: 1\n---\nb: 1\n", (2, 1), "second document");
        fails("", (1, 1), "empty");
        let deep = format!("a: {}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(parse(&deep).is_err());
        assert_eq!(
            parse(&" ".repeat(MAX_BYTES + 1)).expect_err("too large"),
            FrameError::TooLarge { limit: MAX_BYTES }
        );
    }
}
