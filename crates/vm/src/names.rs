//! What the program calls its objects and their parts.

use selvedge_ir::{Global, Module, Scalar, ShapeId, fits};

/// A name of an object, with the type that the source gives it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) shape: Option<ShapeId>,
}

/// The name of a global variable, without the number that the compiler or linker puts behind it if
/// others have the same. A part of a variable that the optimiser has divided keeps its number: it
/// is not as large as its type.
pub(crate) fn of_global<'m>(module: &'m Module, global: &'m Global) -> &'m str {
    let whole = global
        .shape
        .is_some_and(|shape| fits(&module.shapes, shape, global.size));
    match global.name.rsplit_once('.') {
        Some((name, number)) if whole && number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => &global.name,
    }
}

/// A value as the source would write it. None if it is no value of the type.
pub fn value_text(scalar: Scalar, size: u64, bits: u64) -> Option<String> {
    let unused = 64u64.checked_sub(8 * size).filter(|_| size > 0)? as u32;
    let bits = bits << unused >> unused;
    let signed = (bits << unused).cast_signed() >> unused;
    Some(match scalar {
        Scalar::Bool if bits < 2 => (bits == 1).to_string(),
        Scalar::Char if (32..127).contains(&bits) && size == 1 => {
            format!("{signed} {:?}", char::from(bits as u8))
        }
        Scalar::Signed | Scalar::Char => signed.to_string(),
        Scalar::Unsigned | Scalar::Bool => bits.to_string(),
        Scalar::Float if size == 4 => f32::from_bits(bits as u32).to_string(),
        Scalar::Float if size == 8 => f64::from_bits(bits).to_string(),
        Scalar::Float => return None,
        Scalar::Pointer if bits == 0 => "null".to_owned(),
        Scalar::Pointer => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_in_the_source() {
        let text = |scalar, size, bits| value_text(scalar, size, bits).unwrap_or_default();
        assert_eq!(text(Scalar::Signed, 4, 0xffff_fffe), "-2");
        assert_eq!(text(Scalar::Signed, 8, u64::MAX), "-1");
        assert_eq!(text(Scalar::Unsigned, 4, 0xffff_fffe), "4294967294");
        assert_eq!(text(Scalar::Unsigned, 2, 0x1_0003), "3");
        assert_eq!(text(Scalar::Bool, 1, 1), "true");
        assert_eq!(text(Scalar::Bool, 1, 2), "2");
        assert_eq!(text(Scalar::Char, 1, 65), "65 'A'");
        assert_eq!(text(Scalar::Char, 1, 0xff), "-1");
        assert_eq!(text(Scalar::Float, 8, 1.5f64.to_bits()), "1.5");
        assert_eq!(text(Scalar::Pointer, 8, 0), "null");
        assert_eq!(value_text(Scalar::Pointer, 8, 16), None);
        assert_eq!(value_text(Scalar::Signed, 16, 16), None);
        assert_eq!(value_text(Scalar::Signed, 0, 16), None);
    }
}
