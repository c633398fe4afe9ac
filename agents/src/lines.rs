//! Cutting untrusted bytes into lines of bounded length. Everything that reads lines, from a bot,
//! a file or standard input, cuts them here.

use std::io::{self, BufRead};

/// What was found in a stream of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A line is whole: [`LineCutter::line`] has it, without its end.
    Line,
    /// The line is longer than the limit. Told once, when the limit is passed; the rest of the
    /// line is skipped.
    TooLong,
}

/// Collects bytes until a line is whole.
#[derive(Debug)]
pub struct LineCutter {
    most: usize,
    line: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// `line` is the beginning of a line.
    Within,
    /// `line` has been handed on.
    HandedOn,
    /// The end of an overlong line is looked for.
    Skipping,
}

impl LineCutter {
    /// Cuts lines of at most `most` bytes, their ends not counted.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, line: Vec::new(), state: State::Within }
    }

    /// Takes bytes up to the next finding; returns how many were taken, all of them if there was
    /// none.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Option<Cut>) {
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(bytes.len(), |end| end + 1);
        match self.state {
            State::Skipping if end.is_none() => return (taken, None),
            State::Skipping => {
                self.state = State::Within;
                let (more, cut) = self.take(&bytes[taken..]);
                return (taken + more, cut);
            }
            State::HandedOn => {
                self.line.clear();
                self.state = State::Within;
            }
            State::Within => {}
        }
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        let room = self.most - self.line.len();
        if piece.len() > room {
            self.line.clear();
            self.state = State::Skipping;
            return (room + 1, Some(Cut::TooLong));
        }
        self.line.extend_from_slice(piece);
        if end.is_none() {
            return (taken, None);
        }
        self.state = State::HandedOn;
        (taken, Some(Cut::Line))
    }

    /// The line that [`Self::take`] found, or the beginning of one.
    #[must_use]
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// Bytes of a line that has no end yet.
    #[must_use]
    pub fn unfinished(&self) -> usize {
        if self.state == State::Within { self.line.len() } else { 0 }
    }
}

/// Lines of an input, one after the other, in one buffer.
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    cutter: LineCutter,
    number: u64,
}

/// A line of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Its bytes without its end; empty if it is too long.
    pub text: &'a [u8],
    /// Whether it is longer than the limit.
    pub too_long: bool,
    /// Whether a newline ends it; the last line of an input may have none.
    pub ended: bool,
}

impl Line<'_> {
    /// Whether it holds nothing but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        !self.too_long && self.text.trim_ascii().is_empty()
    }
}

impl<R: BufRead> LineReader<R> {
    /// Reads lines of at most `most` bytes from `input`.
    pub fn new(input: R, most: usize) -> Self {
        Self { input, cutter: LineCutter::new(most), number: 0 }
    }

    /// The next line, blank ones too; none at the end.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn advance(&mut self) -> io::Result<Option<Line<'_>>> {
        let cut = loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                break None;
            }
            let (taken, cut) = self.cutter.take(buffer);
            self.input.consume(taken);
            if cut.is_some() {
                break cut;
            }
        };
        if cut.is_none() && self.cutter.unfinished() == 0 {
            return Ok(None);
        }
        if cut.is_none() {
            self.cutter.state = State::HandedOn;
        }
        self.number += 1;
        let too_long = cut == Some(Cut::TooLong);
        let (number, ended) = (self.number, cut == Some(Cut::Line));
        Ok(Some(Line { number, text: self.cutter.line(), too_long, ended }))
    }

    /// The line that [`Self::advance`] returned last.
    #[must_use]
    pub fn line(&self) -> &[u8] {
        self.cutter.line()
    }

    /// The input, at whose front the next line is.
    #[must_use]
    pub const fn input(&self) -> &R {
        &self.input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8], most: usize, buffer: usize) -> Vec<(u64, Option<String>, bool)> {
        let mut lines = LineReader::new(io::BufReader::with_capacity(buffer, input), most);
        let mut found = vec![];
        while let Some(line) = lines.advance().expect("bytes in memory") {
            let text = String::from_utf8(line.text.to_vec()).expect("text");
            found.push((line.number, (!line.too_long).then_some(text), line.ended));
        }
        found
    }

    #[test]
    fn lines_come_out_whatever_the_chunks() {
        for buffer in 1..8 {
            let line = |number, text: &str, ended| (number, Some(text.to_owned()), ended);
            assert_eq!(
                read(b"ab\n\nc", 2, buffer),
                [line(1, "ab", true), line(2, "", true), line(3, "c", false)]
            );
            assert_eq!(read(b"", 2, buffer), []);
            assert_eq!(read(b"\n", 2, buffer), [line(1, "", true)]);
        }
    }

    #[test]
    fn a_long_line_is_told_once_and_the_next_is_read() {
        for buffer in 1..8 {
            let found = read(b"abcd\nef\nghijkl", 3, buffer);
            let expected = [(1, None, false), (2, Some("ef".to_owned()), true), (3, None, false)];
            assert_eq!(found, expected, "{buffer}");
        }
    }

    #[test]
    fn a_beginning_is_counted_until_its_end() {
        let mut cutter = LineCutter::new(4);
        assert_eq!((cutter.take(b"ab"), cutter.unfinished()), ((2, None), 2));
        assert_eq!((cutter.take(b"c\nd"), cutter.unfinished()), ((2, Some(Cut::Line)), 0));
        assert_eq!(cutter.line(), b"abc");
        assert_eq!((cutter.take(b"d"), cutter.unfinished()), ((1, None), 1));
    }
}
