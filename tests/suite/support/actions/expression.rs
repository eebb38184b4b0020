//! Evaluates the expressions of GitHub's workflows that this project uses; panics at anything else.

use std::path::Path;

/// A value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Truth(bool),
}

impl Value {
    /// Returns false for false and for the empty text.
    pub fn holds(&self) -> bool {
        match self {
            Value::Text(text) => !text.is_empty(),
            Value::Truth(truth) => *truth,
        }
    }

    fn shown(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Truth(truth) => truth.to_string(),
        }
    }
}

/// Values that an expression refers to.
pub struct Context<'a> {
    /// Value of a name such as `inputs.strict`; empty for an unknown one.
    pub lookup: &'a dyn Fn(&str) -> String,
    /// True before the first failed step of the job.
    pub success: bool,
    /// Folder of `hashFiles`.
    pub workspace: &'a Path,
}

impl Context<'_> {
    /// Evaluates an expression.
    pub fn evaluate(&self, text: &str) -> Value {
        let mut parser = Parser { rest: text.trim(), context: self };
        let value = parser.any();
        assert_eq!(parser.rest, "", "{text}");
        value
    }

    /// Evaluates the condition of a step, which implies `success()` unless it names a status function.
    pub fn condition(&self, text: Option<&str>) -> bool {
        let Some(text) = text else { return self.success };
        let text = text.strip_prefix("${{").and_then(|t| t.strip_suffix("}}")).unwrap_or(text);
        let is_explicit = ["always()", "success()", "failure()"].iter().any(|name| text.contains(name));
        (is_explicit || self.success) && self.evaluate(text).holds()
    }

    /// Replaces each `${{ … }}` of a text.
    pub fn filled(&self, text: &str) -> String {
        let mut parts = text.split("${{");
        let mut out = parts.next().unwrap_or("").to_owned();
        for part in parts {
            let (expression, rest) = part.split_once("}}").expect("an end of the expression");
            out.push_str(&self.evaluate(expression).shown());
            out.push_str(rest);
        }
        out
    }
}

struct Parser<'a> {
    rest: &'a str,
    context: &'a Context<'a>,
}

impl<'a> Parser<'a> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    fn any(&mut self) -> Value {
        let mut value = self.all();
        while self.takes("||") {
            let other = self.all();
            value = if value.holds() { value } else { other };
        }
        value
    }

    fn all(&mut self) -> Value {
        let mut value = self.comparison();
        while self.takes("&&") {
            let other = self.comparison();
            value = if value.holds() { other } else { value };
        }
        value
    }

    fn comparison(&mut self) -> Value {
        let value = self.unary();
        let is_equal = if self.takes("==") {
            true
        } else if self.takes("!=") {
            false
        } else {
            return value;
        };
        match (value, self.unary()) {
            (Value::Text(x), Value::Text(y)) => Value::Truth(x.eq_ignore_ascii_case(&y) == is_equal),
            pair => panic!("GitHub would compare numbers: {pair:?}"),
        }
    }

    fn unary(&mut self) -> Value {
        if self.takes("!") {
            return Value::Truth(!self.unary().holds());
        }
        if self.takes("(") {
            let value = self.any();
            assert!(self.takes(")"), "{}", self.rest);
            return value;
        }
        if let Some(quoted) = self.rest.strip_prefix('\'') {
            let (text, rest) = quoted.split_once('\'').expect("an end of the text");
            self.rest = rest.trim_start();
            return Value::Text(text.to_owned());
        }
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || "._-".contains(c))).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        assert!(!name.is_empty(), "{}", self.rest);
        self.rest = rest.trim_start();
        if self.takes("(") { self.call(name) } else { Value::Text((self.context.lookup)(name)) }
    }

    fn call(&mut self, name: &'a str) -> Value {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            arguments.push(self.any().shown());
            self.takes(",");
        }
        match (name, &arguments[..]) {
            ("always", []) => Value::Truth(true),
            ("success", []) => Value::Truth(self.context.success),
            ("failure", []) => Value::Truth(!self.context.success),
            ("hashFiles", [file]) => {
                let found = self.context.workspace.join(file).is_file();
                Value::Text(if found { "hash" } else { "" }.to_owned())
            }
            ("format", [form, values @ ..]) => {
                let fill = |text: String, (k, value): (usize, &String)| text.replace(&format!("{{{k}}}"), value);
                Value::Text(values.iter().enumerate().fold(form.clone(), fill))
            }
            _ => panic!("unknown function {name}({arguments:?})"),
        }
    }
}

#[test]
fn expressions_of_the_workflows() {
    let lookup = |name: &str| if name == "inputs.on" { "true".to_owned() } else { String::new() };
    let context = Context { lookup: &lookup, success: false, workspace: Path::new("nowhere") };
    for (text, holds) in [
        ("inputs.on == 'true'", true),
        ("inputs.on != 'true' || steps.a.outputs.b-c == ''", true),
        ("always() && hashFiles('x') != ''", false),
        ("!(inputs.on && 'x')", false),
        ("success()", false),
    ] {
        assert_eq!(context.evaluate(text).holds(), holds, "{text}");
    }
    assert!(!context.condition(Some("inputs.on == 'true'")) && context.condition(Some("${{ failure() }}")));
    assert_eq!(context.filled("a ${{ inputs.on && format('{0}/{1}', 'x', inputs.on) }} b"), "a x/true b");
}
