//! What `define-record-type` is made of. Each procedure knows its type by a number that no program can make.

use crate::fault::Outcome;
use crate::value::{Handle, Value};

use super::{ANY, Library, Native, plain};

pub(super) const RECORDS: &[Native] = &[
    // The layout: type, name, how many fields, and the place of each argument.
    plain("%record-make", 1, ANY, |library, arguments| {
        let Some((layout, values)) = arguments.split_first() else { return Ok(Value::Unspecified) };
        let layout = library.list(*layout)?;
        let [kind, name, count, places @ ..] = layout.as_slice() else { return Ok(Value::Unspecified) };
        let mut fields = vec![Value::Bool(false); library.count(*count)?];
        for (place, value) in places.iter().zip(values) {
            if let Some(field) = fields.get_mut(library.count(*place)?) {
                *field = *value;
            }
        }
        let kind = u32::try_from(library.integer(*kind)?).unwrap_or_default();
        library.heap.make_record(kind, *name, fields)
    }),
    plain("%record-is", 2, 2, |library, arguments| {
        let kind = library.integer(Library::nth(arguments, 0))?;
        let Value::Record(handle) = Library::nth(arguments, 1) else { return Ok(Value::Bool(false)) };
        Ok(Value::Bool(i64::from(library.heap.record(handle).kind) == kind))
    }),
    // Type, name, place, own name, record.
    plain("%record-get", 5, 5, |library, arguments| {
        let (handle, place) = library.field(arguments)?;
        Ok(Library::nth(&library.heap.record(handle).fields, place))
    }),
    plain("%record-set", 6, 6, |library, arguments| {
        let (handle, place) = library.field(arguments)?;
        if let Some(field) = library.heap.record_field(handle, place) {
            *field = Library::nth(arguments, 5);
        }
        Ok(Value::Unspecified)
    }),
];

impl Library<'_> {
    fn field(&self, arguments: &[Value]) -> Outcome<(Handle, usize)> {
        let kind = self.integer(Self::nth(arguments, 0))?;
        let value = Self::nth(arguments, 4);
        if let Value::Record(handle) = value
            && i64::from(self.heap.record(handle).kind) == kind
        {
            return Ok((handle, self.count(Self::nth(arguments, 2))?));
        }
        let (accessor, name) = (self.shown(Self::nth(arguments, 3)), self.shown(Self::nth(arguments, 1)));
        let message = format!("`{accessor}` needs a record `{name}`, got `{}`", self.shown(value));
        Err(crate::fault::Fault::type_of(message))
    }
}
