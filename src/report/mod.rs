//! Floor 5: values in, bytes out.
