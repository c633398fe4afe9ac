//! Little-endian values read one after the other from untrusted bytes.

/// Reads from the front; every failure is a sentence, nothing panics.
pub struct Cursor<'a> {
    what: &'static str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Begins behind `magic` and a version byte. `what` names the thing in messages.
    pub fn open(
        what: &'static str,
        bytes: &'a [u8],
        magic: &[u8],
        version: u8,
    ) -> Result<Self, String> {
        let Some((&found, rest)) = bytes.strip_prefix(magic).and_then(<[u8]>::split_first) else {
            return Err(format!("these bytes are no {what}"));
        };
        if found != version {
            return Err(format!("{what} of version {found}; this release reads version {version}"));
        }
        Ok(Self { what, bytes, at: bytes.len() - rest.len() })
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let array = rest.first_chunk::<N>().copied();
        let array = array.ok_or_else(|| self.fault(format!("end early, at byte {}", self.at)))?;
        self.at += N;
        Ok(array)
    }

    /// The next `count` bytes.
    pub fn slice(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count);
        let slice = end.and_then(|end| self.bytes.get(self.at..end));
        let slice = slice.ok_or_else(|| self.fault(format!("end early, at byte {}", self.at)))?;
        self.at += count;
        Ok(slice)
    }

    pub fn u8(&mut self) -> Result<u8, String> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub fn u32(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }

    /// One byte below `many`.
    pub fn code(&mut self, many: u8, field: &str) -> Result<u8, String> {
        let code = self.u8()?;
        if code < many { Ok(code) } else { Err(self.no_meaning(field)) }
    }

    /// A byte 0 or 1.
    pub fn flag(&mut self, field: &str) -> Result<bool, String> {
        self.code(2, field).map(|code| code == 1)
    }

    /// Refuses what is left.
    pub fn end(self) -> Result<(), String> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            more => Err(self.fault(format!("are {more} too many"))),
        }
    }

    /// That the value just read has no meaning in `field`.
    pub fn no_meaning(&self, field: &str) -> String {
        self.fault(format!("have no meaning in {field}, at byte {}", self.at))
    }

    fn fault(&self, why: impl std::fmt::Display) -> String {
        format!("{}: the bytes {why}", self.what)
    }
}
