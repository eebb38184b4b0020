//! Rounds numbers up to two digits, as a designer would write them.

/// Rounds up to two significant digits; returns `x` itself unless it is positive and finite.
pub(crate) fn up_to_two_digits(x: f64) -> f64 {
    if !(x.is_finite() && x > 0.0) {
        return x;
    }
    let scientific = format!("{x:.1e}");
    let near: f64 = scientific.parse().unwrap_or(x);
    if near >= x {
        return near;
    }
    let digits = scientific.replace('.', "");
    let Some((Ok(digits), Ok(exponent))) = digits.split_once('e').map(|(d, e)| (d.parse::<u32>(), e.parse::<i32>()))
    else {
        return x;
    };
    format!("{}e{}", digits + 1, exponent - 1).parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_up_keeps_two_digits() {
        for (x, up) in
            [(0.0203, 0.021), (0.02, 0.02), (0.0991, 0.1), (1.0, 1.0), (123.4, 130.0), (9.99e-7, 1e-6), (0.0, 0.0)]
        {
            assert_eq!(up_to_two_digits(x), up, "{x}");
        }
        for k in 1..2000 {
            let x = f64::from(k) * 0.001_37;
            let up = up_to_two_digits(x);
            assert!(x <= up && up <= 1.1 * x, "{x} {up}");
        }
    }
}
