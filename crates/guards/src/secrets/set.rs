//! Sets of ASCII characters, one bit each. It must not know a character beyond ASCII: no secret has one.

/// A set of ASCII characters. Each has a number of its own, by which runs of it are remembered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set {
    bits: u128,
    number: usize,
}

/// How many sets there are.
pub(super) const COUNT: usize = 27;

const DIGITS: &[u8] = b"0123456789";
const LOWER_LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const UPPER_LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const ALPHANUMERIC: u128 = bits(DIGITS) | bits(LOWER_LETTERS) | bits(UPPER_LETTERS);

pub(super) const DIGIT: Set = Set { bits: bits(DIGITS), number: 0 };
pub(super) const LOWER_HEX: Set = Set { bits: bits(b"0123456789abcdef"), number: 1 };
pub(super) const HEX: Set = Set { bits: bits(b"0123456789abcdefABCDEF"), number: 2 };
pub(super) const UPPER: Set = Set { bits: bits(DIGITS) | bits(UPPER_LETTERS), number: 3 };
pub(super) const LOWER: Set = Set { bits: bits(DIGITS) | bits(LOWER_LETTERS), number: 4 };
pub(super) const BASE32: Set = Set { bits: bits(UPPER_LETTERS) | bits(b"234567"), number: 5 };
pub(super) const LETTER: Set = Set { bits: bits(LOWER_LETTERS) | bits(UPPER_LETTERS), number: 6 };
pub(super) const ALNUM: Set = Set { bits: ALPHANUMERIC, number: 7 };
pub(super) const ALNUM_DASH: Set = Set { bits: ALPHANUMERIC | bits(b"-"), number: 8 };
pub(super) const WORD: Set = Set { bits: ALPHANUMERIC | bits(b"_"), number: 9 };
pub(super) const WORD_DASH: Set = Set { bits: ALPHANUMERIC | bits(b"_-"), number: 10 };
pub(super) const WORD_DASH_EQUALS: Set = Set { bits: ALPHANUMERIC | bits(b"_-="), number: 11 };
pub(super) const WORD_DASH_EQUALS_DOT: Set = Set { bits: ALPHANUMERIC | bits(b"_-=."), number: 12 };
pub(super) const BASE64: Set = Set { bits: ALPHANUMERIC | bits(b"+/"), number: 13 };
pub(super) const ANY_BASE64: Set = Set { bits: ALPHANUMERIC | bits(b"+/_=-"), number: 14 };
pub(super) const TO_H: Set = Set { bits: bits(b"0123456789abcdefghABCDEFGH"), number: 15 };
pub(super) const BECH32: Set = Set { bits: bits(b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"), number: 16 };
pub(super) const PADDING: Set = Set { bits: bits(b"="), number: 17 };
pub(super) const JWT: Set = Set { bits: ALPHANUMERIC | bits(b"/\\_-"), number: 18 };
pub(super) const TILDE: Set = Set { bits: ALPHANUMERIC | bits(b"_~."), number: 19 };
pub(super) const TILDE_DASH: Set = Set { bits: ALPHANUMERIC | bits(b"_~.-"), number: 20 };
pub(super) const PERCENT: Set = Set { bits: ALPHANUMERIC | bits(b"%"), number: 21 };
pub(super) const DASHES: Set = Set { bits: bits(b"_-"), number: 22 };
pub(super) const TOKEN: Set = Set { bits: ALPHANUMERIC | bits(b"_=~@.+/-"), number: 23 };
pub(super) const NESTED_BASE64: Set = Set { bits: ALPHANUMERIC | bits(b"/\\_+-\r\n"), number: 24 };
pub(super) const CAPITAL_A: Set = Set { bits: bits(b"Aa"), number: 25 };
pub(super) const PERCENT_BASE64: Set = Set { bits: ALPHANUMERIC | bits(b"%+/"), number: 26 };

const fn bits(characters: &[u8]) -> u128 {
    let mut all = 0;
    let mut rest = characters;
    while let Some((first, more)) = rest.split_first() {
        all |= 1 << *first;
        rest = more;
    }
    all
}

impl Set {
    /// Whether the byte is in it.
    pub(super) const fn has(self, byte: u8) -> bool {
        byte < 128 && (self.bits >> byte) & 1 == 1
    }

    /// By which it is known among all.
    pub(super) const fn number(self) -> usize {
        self.number
    }
}
