//! New numbers in the text of a definition, the rest of it untouched.

use super::settings::split;
use super::{Definition, Places};
use crate::frame::error::FrameError;
use std::ops::Range;
use std::sync::Arc;

impl Definition {
    /// `text` with other numbers for the named constants and first values, as
    /// [`Definition::set_number`] would set them; comments, order and layout stay.
    ///
    /// # Errors
    /// As [`Definition::parse`] and [`Definition::set_number`]; and for a number that the text
    /// does not write out, such as one seat's skill where one number serves both.
    pub fn rewrite(text: &str, numbers: &[(String, f64)]) -> Result<String, FrameError> {
        let mut definition = Self::parse(text)?;
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for (name, number) in numbers {
            definition.set_number(name, *number)?;
            let bytes = definition.written(name).ok_or_else(|| FrameError::UnknownName {
                name: name.clone(),
                hint: ": it has no number of its own in the text; set it when the game runs".into(),
            })?;
            edits.retain(|(known, _)| *known != bytes);
            edits.push((bytes, format!("{number:?}")));
        }
        edits.sort_by_key(|(bytes, _)| std::cmp::Reverse(bytes.start));
        let mut text = text.to_owned();
        for (bytes, number) in edits {
            text.replace_range(bytes, &number);
        }
        Self::parse(&text)?;
        Ok(text)
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
