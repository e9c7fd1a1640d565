//! Text to data, without recursion: open lists wait on a stack of their own.
//!
//! It must not give meaning to anything: `(if)` is a list like any other.

mod scan;
#[cfg(test)]
mod tests;

use crate::datum::{Datum, Kind, MOST_NESTING};
use crate::error::{Budget, Error, ErrorKind};
use crate::position::{Position, index};

use self::scan::{Scanner, Token};

pub(crate) use self::scan::{ends_token, looks_like_number};

/// Reads all data of a text.
pub(crate) fn read(source: &str, most_bytes: usize) -> Result<Vec<Datum>, Error> {
    if source.len() > most_bytes {
        let message = format!("a program of {} bytes, at most {most_bytes} are allowed", source.len());
        return Err(Error::new(ErrorKind::Budget(Budget::Source), message));
    }
    Reader { scanner: Scanner::new(source), open: Vec::new(), done: Vec::new() }.run()
}

/// What waits for its end.
struct Open {
    what: Opened,
    at: usize,
    items: Vec<Datum>,
    tail: Tail,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    /// A list, and the character that ends it
    List(char),
    Vector(char),
    /// `'` and its like, by the name they stand for
    Prefix(&'static str),
    /// `#;`
    Discard,
}

#[derive(PartialEq, Eq)]
enum Tail {
    None,
    Expected,
    Is(Datum),
}

struct Reader<'s> {
    scanner: Scanner<'s>,
    open: Vec<Open>,
    done: Vec<Datum>,
}

impl Reader<'_> {
    fn run(mut self) -> Result<Vec<Datum>, Error> {
        while let Some((at, token)) = self.scanner.next()? {
            match token {
                Token::Datum(kind) => self.give(Datum::new(kind, index(at)))?,
                Token::Open(close) => self.push(at, Opened::List(close))?,
                Token::OpenVector(close) => self.push(at, Opened::Vector(close))?,
                Token::Prefix(name) => self.push(at, Opened::Prefix(name))?,
                Token::Discard => self.push(at, Opened::Discard)?,
                Token::Close(close) => self.close(at, close)?,
                Token::Dot => self.dot(at)?,
            }
        }
        if let Some(open) = self.open.last() {
            let message = match open.what {
                Opened::List(close) | Opened::Vector(close) => {
                    format!("this list is never closed by `{close}`")
                }
                Opened::Prefix(name) => format!("nothing follows this {name}"),
                Opened::Discard => "nothing follows this `#;`".to_owned(),
            };
            let mut error = self.scanner.error(open.at, message);
            error.incomplete = true;
            return Err(error);
        }
        Ok(self.done)
    }

    fn push(&mut self, at: usize, what: Opened) -> Result<(), Error> {
        if self.open.len() >= MOST_NESTING {
            let message = format!("parentheses nested deeper than {MOST_NESTING}");
            let position = Position::of(self.scanner.source(), at);
            return Err(Error::new(ErrorKind::Budget(Budget::Depth), message).at(position));
        }
        self.open.push(Open { what, at, items: Vec::new(), tail: Tail::None });
        Ok(())
    }

    /// A datum is complete: it goes to whatever waits for it, which may be complete by that.
    fn give(&mut self, mut datum: Datum) -> Result<(), Error> {
        while let Some(open) = self.open.last_mut() {
            match open.what {
                Opened::Prefix(name) => {
                    let at = index(open.at);
                    let keyword = Datum::new(Kind::Symbol(name.to_owned()), at);
                    datum = Datum::new(Kind::List(vec![keyword, datum]), at);
                    self.open.pop();
                }
                Opened::Discard => {
                    self.open.pop();
                    return Ok(());
                }
                Opened::List(_) | Opened::Vector(_) => {
                    match open.tail {
                        Tail::None => open.items.push(datum),
                        Tail::Expected => open.tail = Tail::Is(datum),
                        Tail::Is(_) => {
                            let message = "only one datum may follow the dot";
                            return Err(self.scanner.error(datum.at as usize, message));
                        }
                    }
                    return Ok(());
                }
            }
        }
        self.done.push(datum);
        Ok(())
    }

    fn dot(&mut self, at: usize) -> Result<(), Error> {
        match self.open.last_mut() {
            Some(open)
                if matches!(open.what, Opened::List(_))
                    && open.tail == Tail::None
                    && !open.items.is_empty() =>
            {
                open.tail = Tail::Expected;
                Ok(())
            }
            Some(_) | None => Err(self.scanner.error(at, "this dot belongs to no list")),
        }
    }

    fn close(&mut self, at: usize, close: char) -> Result<(), Error> {
        let Some(open) = self.open.pop() else {
            return Err(self.scanner.error(at, format!("this `{close}` closes nothing")));
        };
        let datum = match open.what {
            Opened::List(expected) | Opened::Vector(expected) if expected != close => {
                let position = Position::of(self.scanner.source(), open.at);
                let message = format!("`{close}` where `{expected}` would close the list from {position}");
                return Err(self.scanner.error(at, message));
            }
            Opened::Prefix(name) => {
                return Err(self.scanner.error(open.at, format!("nothing follows this {name}")));
            }
            Opened::Discard => return Err(self.scanner.error(open.at, "nothing follows this `#;`")),
            Opened::Vector(_) => Kind::Vector(open.items),
            Opened::List(_) => match open.tail {
                Tail::None => Kind::List(open.items),
                Tail::Expected => return Err(self.scanner.error(at, "nothing follows the dot of this list")),
                Tail::Is(tail) => dotted(open.items, tail),
            },
        };
        self.give(Datum::new(datum, index(open.at)))
    }
}

/// `(a . (b c))` is `(a b c)`.
fn dotted(mut items: Vec<Datum>, tail: Datum) -> Kind {
    // `(a . ,b)` keeps its dot: the hole is a tail, not two items.
    if tail.operand_of("unquote").is_some() {
        return Kind::Dotted(items, Box::new(tail));
    }
    match tail.kind {
        Kind::List(rest) => {
            items.extend(rest);
            Kind::List(items)
        }
        Kind::Dotted(rest, tail) => {
            items.extend(rest);
            Kind::Dotted(items, tail)
        }
        Kind::Bool(_)
        | Kind::Number(_)
        | Kind::Char(_)
        | Kind::Text(_)
        | Kind::Symbol(_)
        | Kind::Vector(_) => Kind::Dotted(items, Box::new(tail)),
    }
}
