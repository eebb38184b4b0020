//! Reads the part of YAML that the workflows of this project use: block and flow maps and lists, plain and quoted
//! texts, literal blocks. Panics at anything else.

/// A value of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Yaml {
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    /// Reads a file.
    pub fn read(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut reader = Reader { lines: &lines, at: 0 };
        let value = reader.block(0);
        assert!(reader.peek().is_none(), "line {}: {}", reader.at + 1, lines[reader.at]);
        value
    }

    /// Value of a key of a map; `None` for a missing one.
    pub fn get(&self, key: &str) -> Option<&Yaml> {
        self.entries().iter().find(|(k, _)| k == key).map(|(_, value)| value)
    }

    /// Text of a key of a map; `None` for a missing one.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Yaml::Text(text) => Some(text),
            other => panic!("{key} is no text: {other:?}"),
        }
    }

    /// Entries of a map.
    pub fn entries(&self) -> &[(String, Yaml)] {
        match self {
            Yaml::Map(entries) => entries,
            other => panic!("no map: {other:?}"),
        }
    }

    /// Items of a list.
    pub fn items(&self) -> &[Yaml] {
        match self {
            Yaml::List(items) => items,
            other => panic!("no list: {other:?}"),
        }
    }
}

struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Splits `key: value` outside quotes and braces.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ").or_else(|| line.strip_suffix(':').map(|key| (key, "")))?;
    let is_key = key.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    is_key.then_some((key, value.trim()))
}

impl<'a> Reader<'a> {
    /// The next line with content.
    fn peek(&mut self) -> Option<&'a str> {
        while let Some(line) = self.lines.get(self.at) {
            let content = line.trim();
            if !content.is_empty() && !content.starts_with('#') {
                return Some(line);
            }
            self.at += 1;
        }
        None
    }

    /// The block at this indent or deeper.
    fn block(&mut self, least: usize) -> Yaml {
        let Some(first) = self.peek().filter(|line| indent(line) >= least) else { return Yaml::Text(String::new()) };
        let own = indent(first);
        if first.trim_start().starts_with("- ") { self.list(own) } else { self.map(own, None) }
    }

    fn list(&mut self, own: usize) -> Yaml {
        let mut items = Vec::new();
        while let Some(line) = self.peek().filter(|line| indent(line) == own && line.trim_start().starts_with("- ")) {
            let content = &line[own + 2..];
            self.at += 1;
            items.push(match entry(content) {
                Some(first) => self.map(own + 2, Some(first)),
                None => self.value(content, own),
            });
        }
        Yaml::List(items)
    }

    /// The map at this indent, of which `first` may be read already.
    fn map(&mut self, own: usize, first: Option<(&'a str, &'a str)>) -> Yaml {
        let mut entries = Vec::new();
        if let Some((key, value)) = first {
            entries.push((key.to_owned(), self.value(value, own)));
        }
        while let Some(line) = self.peek().filter(|line| indent(line) == own && !line.trim_start().starts_with("- ")) {
            let (key, value) = entry(line.trim_start()).unwrap_or_else(|| panic!("line {}: {line}", self.at + 1));
            self.at += 1;
            entries.push((key.to_owned(), self.value(value, own)));
        }
        Yaml::Map(entries)
    }

    /// The value behind a key or a dash at indent `own`.
    fn value(&mut self, text: &str, own: usize) -> Yaml {
        match text {
            "" => self.block(own + 1),
            "|" => self.literal(own),
            _ => flow(text),
        }
    }

    fn literal(&mut self, own: usize) -> Yaml {
        let from = self.at;
        while self.lines.get(self.at).is_some_and(|line| line.trim().is_empty() || indent(line) > own) {
            self.at += 1;
        }
        let lines = &self.lines[from..self.at];
        let shift = lines.iter().find(|line| !line.trim().is_empty()).map_or(0, |line| indent(line));
        let text: Vec<&str> = lines.iter().map(|line| line.get(shift..).unwrap_or("")).collect();
        Yaml::Text(text.join("\n").trim_end().to_owned() + "\n")
    }
}

/// A value on one line.
fn flow(text: &str) -> Yaml {
    let inside = |open, close| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    if let Some(inside) = inside("{ ", " }") {
        let pair = |item: &str| entry(item).map(|(key, value)| (key.to_owned(), flow(value))).expect("key: value");
        return Yaml::Map(items(inside).iter().map(|item| pair(item)).collect());
    }
    if let Some(inside) = inside("[", "]") {
        return Yaml::List(items(inside).iter().map(|item| flow(item)).collect());
    }
    for quote in ["\"", "'"] {
        if let Some(inside) = inside(quote, quote) {
            assert!(!inside.contains(['"', '\\']), "{text}");
            return Yaml::Text(inside.to_owned());
        }
    }
    assert!(!text.starts_with(['{', '[', '&', '*', '!', '>', '%', '@', '`', '"', '\'']), "{text}");
    Yaml::Text(text.split(" #").next().expect("a part").trim().to_owned())
}

/// Splits at commas outside quotes, braces and brackets.
fn items(text: &str) -> Vec<&str> {
    let (mut found, mut from, mut depth, mut quote) = (Vec::new(), 0, 0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => depth -= 1,
            (None, ',') if depth == 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[from..].trim());
    found.retain(|item| !item.is_empty());
    found
}

#[test]
fn values_of_every_kind() {
    let text = "a: 1 # one\n# no value\nlist:\n  - id: x\n    run: |\n      if true; then\n        echo \"a: b\"\n      fi\n  - plain\nmap: { k: \"v, w\", l: [p, q] }\n";
    let yaml = Yaml::read(text);
    assert_eq!(yaml.text("a"), Some("1"));
    let list = yaml.get("list").expect("a list").items();
    assert_eq!(list[0].text("run"), Some("if true; then\n  echo \"a: b\"\nfi\n"));
    assert_eq!(list[1], Yaml::Text("plain".to_owned()));
    let map = yaml.get("map").expect("a map");
    assert_eq!((map.text("k"), map.get("l").expect("a list").items().len()), (Some("v, w"), 2));
}
