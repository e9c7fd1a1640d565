//! How wire rows and kernel rows turn into one another: one trait, and one macro that writes both directions.
//!
//! A row's fields have the kernel's names, so that a field added on one side only does not compile.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

/// A wire type with its twin in the kernel.
pub(crate) trait Wire: DeserializeOwned {
    /// The twin.
    type Kernel;
    /// The kernel's value.
    fn into_kernel(self) -> Self::Kernel;
    /// The wire's value.
    fn from_kernel(kernel: Self::Kernel) -> Self;
    /// Reads it where it stands for an optional field.
    ///
    /// # Errors
    /// What cannot be read.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
    /// Reads it where it may be absent. Texts are absent when they are blank; nothing else is.
    ///
    /// # Errors
    /// What cannot be read.
    fn read_optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        Option::deserialize(deserializer)
    }
    /// Whether writing it may be left out.
    fn is_absent(&self) -> bool {
        false
    }
}

impl<Row: Wire> Wire for Option<Row> {
    type Kernel = Option<Row::Kernel>;

    fn into_kernel(self) -> Self::Kernel {
        self.map(Row::into_kernel)
    }

    fn from_kernel(kernel: Self::Kernel) -> Self {
        kernel.map(Row::from_kernel)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Row::read_optional(deserializer)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<Row: Wire> Wire for Vec<Row> {
    type Kernel = Vec<Row::Kernel>;

    fn into_kernel(self) -> Self::Kernel {
        self.into_iter().map(Row::into_kernel).collect()
    }

    fn from_kernel(kernel: Self::Kernel) -> Self {
        kernel.into_iter().map(Row::from_kernel).collect()
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Wire for String {
    type Kernel = Self;

    fn into_kernel(self) -> Self {
        self
    }

    fn from_kernel(kernel: Self) -> Self {
        kernel
    }
}

impl Wire for bool {
    type Kernel = Self;

    fn into_kernel(self) -> Self {
        self
    }

    fn from_kernel(kernel: Self) -> Self {
        kernel
    }
}

/// Declares a row: required fields in the first braces, optional ones in the second.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $name:ident = $kernel:path
        { $($(#[$required_meta:meta])* $required:ident: $required_type:ty,)* }
        { $($(#[$optional_meta:meta])* $optional:ident: $optional_type:ty,)* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name {
            $(
                $(#[$required_meta])*
                pub(crate) $required: $required_type,
            )*
            $(
                $(#[$optional_meta])*
                #[serde(default, deserialize_with = "crate::v1::row::Wire::read")]
                #[serde(skip_serializing_if = "crate::v1::row::Wire::is_absent")]
                pub(crate) $optional: $optional_type,
            )*
        }

        impl crate::v1::row::Wire for $name {
            type Kernel = $kernel;

            fn into_kernel(self) -> $kernel {
                use $kernel as Kernel;
                Kernel {
                    $($required: crate::v1::row::Wire::into_kernel(self.$required),)*
                    $($optional: crate::v1::row::Wire::into_kernel(self.$optional),)*
                }
            }

            fn from_kernel(kernel: $kernel) -> Self {
                Self {
                    $($required: crate::v1::row::Wire::from_kernel(kernel.$required),)*
                    $($optional: crate::v1::row::Wire::from_kernel(kernel.$optional),)*
                }
            }
        }
    };
}

pub(crate) use row;
