//! One page without any network: text, tables and images in a single file.

use super::svg::escape;
use super::table::Table;
use std::fmt::Write as _;

/// A page in the making.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    /// An empty page.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self { title: escape(title), body: String::new() }
    }

    /// A heading.
    pub fn heading(&mut self, text: &str) {
        self.push(format_args!("<h2>{}</h2>", escape(text)));
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.push(format_args!("<p>{}</p>", escape(text)));
    }

    /// A table.
    pub fn table(&mut self, table: &Table) {
        self.push(format_args!("<table>"));
        for (row, cells) in table.lines().enumerate() {
            let tag = if row == 0 { "th" } else { "td" };
            let cells: String =
                cells.map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            self.push(format_args!("<tr>{cells}</tr>"));
        }
        self.push(format_args!("</table>"));
    }

    /// An image that [`svg`](super::svg) or [`plot`](super::plot) made, with a line under it.
    pub fn image(&mut self, svg: &str, caption: &str) {
        let caption = escape(caption);
        self.push(format_args!("<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>"));
    }

    /// The finished page.
    #[must_use]
    pub fn finish(self) -> String {
        let Self { title, body } = self;
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
             <body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
        )
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}

const STYLE: &str = "body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse}th,td{border-bottom:1px solid #ccc;padding:.2em .8em;text-align:right}\
th:first-child,td:first-child{text-align:left}figure{margin:1.5em 0}svg{max-width:100%;height:auto}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_holds_its_parts_and_no_foreign_markup() {
        let mut page = Page::new("Report <1>");
        page.heading("Fit");
        page.paragraph("a & b");
        let mut table = Table::new(["name", "value"]);
        table.row(["<script>", "1"]);
        page.table(&table);
        page.image("<svg></svg>\n", "a drawing");
        let html = page.finish();
        assert!(html.contains("<title>Report &lt;1&gt;</title>"), "{html}");
        assert!(html.contains("<tr><td>&lt;script&gt;</td><td>1</td></tr>"), "{html}");
        assert!(html.contains("<svg></svg>") && !html.contains("http"), "{html}");
    }
}
