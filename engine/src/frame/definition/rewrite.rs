//! New numbers in the text of a definition, the rest of it untouched.

use super::settings::split;
use super::{Definition, Places};
use crate::frame::error::FrameError;
use std::ops::Range;
use std::sync::Arc;

impl Definition {
    /// `text` with other numbers for the named constants and first values, as
    /// [`Definition::set_number`] would set them; comments, order and layout stay. Where one
    /// number serves both seats, it gives way to a list of two.
    ///
    /// # Errors
    /// As [`Definition::parse`] and [`Definition::set_number`]; and for a number that the text
    /// does not write out, such as one seat's skill where one number serves both.
    pub fn rewrite(text: &str, numbers: &[(String, f64)]) -> Result<String, FrameError> {
        let mut definition = Self::parse(text)?;
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for (name, number) in numbers {
            definition.set_number(name, *number)?;
            let own = definition.written(name).map(|bytes| (bytes, format!("{number:?}")));
            let edit =
                own.or_else(|| definition.seats(name)).ok_or_else(|| FrameError::UnknownName {
                    name: name.clone(),
                    hint: ": it has no number of its own in the text; set it when the game runs"
                        .into(),
                })?;
            edits.retain(|(known, _)| *known != edit.0);
            edits.push(edit);
        }
        edits.sort_by_key(|(bytes, _)| std::cmp::Reverse(bytes.start));
        let mut text = text.to_owned();
        for (bytes, number) in edits {
            text.replace_range(bytes, &number);
        }
        Self::parse(&text)?;
        Ok(text)
    }

    /// The number that serves both seats, of one of which `name` is the first value, and the list
    /// of both in its place.
    fn seats(&self, name: &str) -> Option<(Range<usize>, String)> {
        let (base, path) = split(name);
        let per_seat = self.variables.iter().any(|v| &*v.name == base && v.per_seat);
        let bytes = self.written(base).filter(|_| per_seat && path.len() == 1)?;
        let value = |seat: usize| self.parameter(&format!("{base}[{seat}]"))?.number();
        Some((bytes, format!("[{:?}, {:?}]", value(0)?, value(1)?)))
    }

    /// Where the text writes out the number called `name`.
    fn written(&self, name: &str) -> Option<Range<usize>> {
        let (base, path) = split(name);
        let find = |places: &Places| {
            let same = |known: &[Arc<str>]| known.iter().map(|key| &**key).eq(path.iter().copied());
            places.iter().find(|(known, _)| same(known)).map(|(_, bytes)| bytes.clone())
        };
        let constant = self.constants.iter().find(|c| &*c.name == base).map(|c| &c.places);
        let variable = self.variables.iter().find(|v| &*v.name == base).map(|v| &v.places);
        find(constant.or(variable)?)
    }
}
