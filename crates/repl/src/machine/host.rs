//! Calls of host functions: counted, numbered, placed, and with arguments that have a canonical form.

use crate::error::Budget;
use crate::fault::Fault;
use crate::host::HostCall;
use crate::library::{Unconvertible, to_kernel};

use super::call::wrong_count;
use super::execute::Flow;
use super::{Machine, Pause};

impl Machine {
    pub(super) fn call_host(&mut self, host: u16, arguments: u32) -> Flow {
        let Some(function) = self.hosts.get(usize::from(host)) else {
            return Err(Fault::type_of("this is no procedure"));
        };
        let count = arguments as usize;
        if count < function.least || count > function.most {
            return Err(wrong_count(&function.name, function.least, function.most, count));
        }
        let start = self.fiber.stack.len() - count;
        let mut values = Vec::with_capacity(count);
        let mut total = 0_usize;
        for value in self.fiber.stack.get(start..).unwrap_or_default() {
            let most = self.heap.room().saturating_sub(total);
            let value = to_kernel(&self.heap, &self.symbols, &mut self.meter, *value, most);
            let (value, bytes) = value.map_err(|error| refused(&function.name, error))?;
            values.push(value);
            total = total.saturating_add(bytes);
        }
        if self.host_calls >= self.limits.host_calls {
            return Err(Fault::Budget(Budget::HostCalls));
        }
        // Calls of many fibers can wait together, so what they hold counts until they are answered.
        self.heap.keep(total)?;
        self.waiting_bytes += total;
        let name = function.name.clone();
        let (place, _) = self.whereabouts();
        let call =
            HostCall { index: self.host_calls, name, arguments: values, position: self.position(place) };
        self.host_calls += 1;
        self.fiber.stack.truncate(start);
        Ok(Some(Pause::Call(call)))
    }
}

fn refused(name: &str, error: Unconvertible) -> Fault {
    match error {
        Unconvertible::Kind(shown) => {
            Fault::type_of(format!("`{name}` takes what JSON can say, and `{shown}` is not that"))
        }
        Unconvertible::Range(what) => Fault::range(format!("`{name}`: {what}")),
        Unconvertible::Full => Fault::Full,
        Unconvertible::Fuel => Fault::Budget(Budget::Fuel),
    }
}
