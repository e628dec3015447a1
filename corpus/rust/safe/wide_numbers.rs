// Numbers of 128 bits are printed by two multiplications in 256 bits.
use std::hint::black_box;

fn main() {
    let largest = black_box(u128::MAX);
    assert_eq!(largest.to_string(), "340282366920938463463374607431768211455");
    let least = black_box(i128::MIN);
    assert_eq!(format!("{least}"), "-170141183460469231731687303715884105728");
}
