//! Cutting a byte stream into lines, with a limit on their length.

/// The greatest length of one line, bytes, without its end.
pub const MAX_LINE: usize = 1 << 20;

/// What a stream of bytes held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A whole line, without its end.
    Line(Vec<u8>),
    /// A line longer than [`MAX_LINE`]; nothing after it is read.
    TooLong,
}

/// Collects bytes until a line is whole.
#[derive(Debug, Default)]
pub struct Lines {
    partial: Vec<u8>,
    broken: bool,
}

impl Lines {
    /// Takes the next bytes and hands on every line that they complete.
    pub fn push(&mut self, mut bytes: &[u8], mut line: impl FnMut(Cut)) {
        while !self.broken && !bytes.is_empty() {
            let end = bytes.iter().position(|&b| b == b'\n');
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            if self.partial.len() + piece.len() > MAX_LINE {
                self.broken = true;
                self.partial = Vec::new();
                return line(Cut::TooLong);
            }
            self.partial.extend_from_slice(piece);
            let Some(end) = end else { return };
            line(Cut::Line(std::mem::take(&mut self.partial)));
            bytes = &bytes[end + 1..];
        }
    }

    /// Bytes of a line that has no end yet.
    #[must_use]
    pub fn unfinished(&self) -> usize {
        self.partial.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(chunks: &[&[u8]]) -> (Vec<Cut>, usize) {
        let (mut lines, mut cuts) = (Lines::default(), Vec::new());
        for chunk in chunks {
            lines.push(chunk, |cut| cuts.push(cut));
        }
        (cuts, lines.unfinished())
    }

    #[test]
    fn lines_come_out_whatever_the_chunks() {
        let expected = (vec![Cut::Line(b"ab".to_vec()), Cut::Line(vec![])], 1);
        assert_eq!(cut(&[b"ab\n\nc"]), expected);
        assert_eq!(cut(&[b"a", b"b", b"\n", b"\nc"]), expected);
    }

    #[test]
    fn a_long_line_is_refused_once() {
        let chunk = vec![b'x'; 1 << 16];
        let (mut lines, mut cuts) = (Lines::default(), Vec::new());
        for _ in 0..40 {
            lines.push(&chunk, |cut| cuts.push(cut));
        }
        lines.push(b"\nafter\n", |cut| cuts.push(cut));
        assert_eq!(cuts, [Cut::TooLong]);
        let mut whole = vec![b'x'; MAX_LINE];
        whole.push(b'\n');
        assert_eq!(cut(&[&whole]).0, [Cut::Line(vec![b'x'; MAX_LINE])]);
    }
}
