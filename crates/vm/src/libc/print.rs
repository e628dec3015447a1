//! The printf family and other functions that write to the standard streams or to strings.
//!
//! `stdout` and `stderr` are handles (see `program`). Both print to the same captured output.
//! Printed data must be defined. Other streams are in `files`.

use super::format::{self, Count, Layout, Length, Spec};
use super::holes::{self, Hole};
use super::open_text::{self, OpenText};
use super::varargs::Varargs;
use super::{Answer, by_element, bytes, files};
use crate::native::{Cx, Flow, Native, Stop, Visible};
use crate::value::Value;
use selvedge_model::{FaultKind, LimitKind};

/// The destination of formatted text. The numbers are positions of arguments.
#[derive(Clone, Copy)]
enum Sink {
    /// To stdout.
    Out,
    /// To stdout or stderr, as the stream argument says.
    Stream,
    /// To a file descriptor.
    Descriptor(usize),
    /// To a buffer, of a known size.
    Buffer(usize, Option<usize>),
    /// To a buffer whose size the compiler knew. A longer text is the overflow that the function
    /// exists to detect.
    Fortified(usize, usize),
    /// To a new heap object. Its address is stored.
    Allocate(usize),
}

/// A printf-like model: the destination, the position of the format, and whether a `va_list`
/// follows.
macro_rules! formatted {
    ($sink:expr, $format:literal) => {
        by_element!(|cx: &mut Cx<'_>| print(cx, $sink, $format, false))
    };
    ($sink:expr, $format:literal, list) => {
        by_element!(|cx: &mut Cx<'_>| print(cx, $sink, $format, true))
    };
}

/// A model that prints if its stream is stdout or stderr, and otherwise is an operation of `files`.
macro_rules! to_stream {
    ($writer:expr, $model:expr) => {
        Native::Visible(Visible {
            prepare: |cx| {
                const WRITER: files::Writer = $writer;
                files::prepare_writer(cx, &WRITER, |cx| $model(cx))
            },
            perform: |cx, _| {
                const WRITER: files::Writer = $writer;
                files::perform_writer(cx, &WRITER, |cx| $model(cx))
            },
            numbers: crate::native::NO_ARGUMENT,
        })
    };
}

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "printf" => formatted!(Sink::Out, 0),
        "vprintf" => formatted!(Sink::Out, 0, list),
        "__printf_chk" => formatted!(Sink::Out, 1),
        "__vprintf_chk" => formatted!(Sink::Out, 1, list),
        "fprintf" => to_stream!(files::formatted::<1, false>(), |cx: &mut Cx<'_>| print(
            cx,
            Sink::Stream,
            1,
            false
        )),
        "vfprintf" => to_stream!(files::formatted::<1, true>(), |cx: &mut Cx<'_>| print(
            cx,
            Sink::Stream,
            1,
            true
        )),
        "__fprintf_chk" => to_stream!(files::formatted::<2, false>(), |cx: &mut Cx<'_>| print(
            cx,
            Sink::Stream,
            2,
            false
        )),
        "__vfprintf_chk" => to_stream!(files::formatted::<2, true>(), |cx: &mut Cx<'_>| print(
            cx,
            Sink::Stream,
            2,
            true
        )),
        "dprintf" => formatted!(Sink::Descriptor(0), 1),
        "vdprintf" => formatted!(Sink::Descriptor(0), 1, list),
        "sprintf" => formatted!(Sink::Buffer(0, None), 1),
        "vsprintf" => formatted!(Sink::Buffer(0, None), 1, list),
        "__sprintf_chk" => formatted!(Sink::Fortified(0, 2), 3),
        "__vsprintf_chk" => formatted!(Sink::Fortified(0, 2), 3, list),
        "snprintf" => formatted!(Sink::Buffer(0, Some(1)), 2),
        "vsnprintf" => formatted!(Sink::Buffer(0, Some(1)), 2, list),
        "__snprintf_chk" => formatted!(Sink::Buffer(0, Some(1)), 4),
        "__vsnprintf_chk" => formatted!(Sink::Buffer(0, Some(1)), 4, list),
        "asprintf" => formatted!(Sink::Allocate(0), 1),
        "vasprintf" => formatted!(Sink::Allocate(0), 1, list),
        "__asprintf_chk" => formatted!(Sink::Allocate(0), 2),
        "__vasprintf_chk" => formatted!(Sink::Allocate(0), 2, list),
        "puts" => by_element!(puts),
        "putchar" | "putchar_unlocked" => by_element!(putchar),
        "putc" | "fputc" | "_IO_putc" => {
            to_stream!(files::FPUTC, putchar)
        }
        "fputs" => to_stream!(files::FPUTS, fputs),
        "putc_unlocked" | "fputc_unlocked" => to_stream!(files::FPUTC_UNLOCKED, putchar),
        "fputs_unlocked" => to_stream!(files::FPUTS_UNLOCKED, fputs),
        "fwrite" => to_stream!(files::FWRITE, fwrite),
        "fwrite_unlocked" => to_stream!(files::FWRITE_UNLOCKED, fwrite),
        "perror" => by_element!(perror),
        _ => return None,
    })
}

// ---- streams
// -------------------------------------------------------------------------------------------------

/// Checks that stdout (1) or stderr (2) is still the captured output.
fn captured(cx: &Cx<'_>, fd: i32) -> Result<(), Stop> {
    if files::is_output_descriptor(cx, fd) {
        return Ok(());
    }
    let what = "printing to a standard stream whose descriptor was closed or redirected";
    Err(Flow::Unsupported(what.into()))
}

fn puts(cx: &mut Cx<'_>) -> Answer {
    captured(cx, 1)?;
    let text = cx.word(0)?;
    let mut text = open_text::string(cx, text, u64::MAX, "character of an output")?;
    text.bytes.push(b'\n');
    cx.state.print_open(&text.bytes, &text.holes);
    Ok(Flow::int(text.len() as i32))
}

fn fputs(cx: &mut Cx<'_>) -> Answer {
    let text = cx.word(0)?;
    let text = open_text::string(cx, text, u64::MAX, "character of an output")?;
    cx.state.print_open(&text.bytes, &text.holes);
    Ok(Flow::int(1))
}

fn putchar(cx: &mut Cx<'_>) -> Answer {
    captured(cx, 1)?;
    if !cx.result_is_used() && Varargs::Call(0).next_is_symbolic(cx) {
        let hole = Hole {
            at: 0,
            spec: holes::CHARACTER,
            value: cx.args[0],
        };
        cx.state.print_open(holes::MARK, &[hole]);
        return Ok(Flow::int(0));
    }
    let byte = cx.int(0)? as u8;
    cx.state.print(&[byte]);
    Ok(Flow::int(i32::from(byte)))
}

/// Prints a range of memory.
fn print_range(cx: &mut Cx<'_>, from: u64, len: u64) -> Result<(), Stop> {
    let text = open_text::range(cx, from, len, "byte of an output")?;
    cx.state.print_open(&text.bytes, &text.holes);
    Ok(())
}

fn fwrite(cx: &mut Cx<'_>) -> Answer {
    let (from, size, count) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    let Some(len) = size.checked_mul(count) else {
        return Ok(cx.fault(
            FaultKind::OutOfBounds,
            "fwrite of more bytes than there are addresses",
        ));
    };
    print_range(cx, from, len)?;
    Ok(Flow::word(if size == 0 { 0 } else { count }))
}

/// `write` to the captured output.
pub(super) fn write(cx: &mut Cx<'_>) -> Answer {
    let (from, len) = (cx.word(1)?, cx.word(2)?);
    print_range(cx, from, len)?;
    Ok(Flow::word(len))
}

fn perror(cx: &mut Cx<'_>) -> Answer {
    let prefix = cx.word(0)?;
    let mut text = Vec::new();
    if prefix != 0 {
        text = bytes::string(cx, prefix, "character of an output")?;
        if !text.is_empty() {
            text.extend_from_slice(b": ");
        }
    }
    text.extend_from_slice(error_message(cx)?.as_bytes());
    text.push(b'\n');
    captured(cx, 2)?;
    cx.state.print(&text);
    Ok(Flow::void())
}

/// The text of the calling thread's errno.
fn error_message(cx: &mut Cx<'_>) -> Result<String, Stop> {
    let address = cx.errno()?;
    let number = cx.load_defined(address, 4, "errno")? as u32 as i32;
    Ok(super::error_text::error_text(number))
}

// ---- formatted output
// -------------------------------------------------------------------------------------------------

fn print(cx: &mut Cx<'_>, sink: Sink, format_at: usize, list: bool) -> Answer {
    let output = match sink {
        Sink::Out | Sink::Stream => true,
        Sink::Descriptor(at) => {
            let fd = cx.int(at)?;
            files::is_output_descriptor(cx, fd)
        }
        _ => false,
    };
    // Text for display only may have symbolic values.
    let (text, open) = formatted_text(cx, format_at, list, output && !cx.result_is_used())?;
    match sink {
        Sink::Out => {
            captured(cx, 1)?;
            cx.state.print_open(&text, &open);
        }
        Sink::Stream => cx.state.print_open(&text, &open),
        Sink::Descriptor(_) if output => cx.state.print_open(&text, &open),
        Sink::Descriptor(at) => {
            let fd = cx.int(at)?;
            if !files::put_text(cx, fd, &text)? {
                return Ok(Flow::int(-1));
            }
        }
        Sink::Buffer(at, size) => {
            let to = cx.word(at)?;
            let size = match size {
                Some(size) => cx.word(size)?,
                None => u64::MAX,
            };
            fill(cx, to, size, &text)?;
        }
        Sink::Fortified(at, size) => {
            let (to, size, needed) = (cx.word(at)?, cx.word(size)?, text.len() as u64 + 1);
            if needed > size {
                let message = format!("write of {needed} bytes to a destination of {size}");
                return Ok(cx.fault(FaultKind::OutOfBounds, message));
            }
            fill(cx, to, needed, &text)?;
        }
        Sink::Allocate(at) => {
            let out = cx.word(at)?;
            let size = text.len() as u64 + 1;
            let Some(to) = cx.malloc(size, 16, false)? else {
                return Ok(Flow::int(-1));
            };
            let with_end: Vec<u8> = text.iter().copied().chain([0]).collect();
            bytes::write_new(cx, to, &with_end)?;
            super::stepped::store(cx, out, 8, Value::new(to))?;
        }
    }
    Ok(Flow::int(text.len() as i32))
}

/// The text that the format and its arguments produce, and the symbolic values in it. `holes`:
/// symbolic values are allowed.
pub(super) fn formatted_text(
    cx: &mut Cx<'_>,
    format_at: usize,
    list: bool,
    holes: bool,
) -> Result<(Vec<u8>, Vec<Hole>), Stop> {
    let format = cx.word(format_at)?;
    let format = bytes::string(cx, format, "character of a format")?;
    let mut arguments = if list {
        Varargs::List(cx.word(format_at + 1)?)
    } else {
        Varargs::Call(format_at + 1)
    };
    render(cx, &format, &mut arguments, holes)
}

/// Writes as much of a text as the buffer can hold, with a terminator.
fn fill(cx: &mut Cx<'_>, to: u64, size: u64, text: &[u8]) -> Result<(), Stop> {
    if size == 0 {
        return Ok(());
    }
    let mut text = text[..text.len().min((size - 1) as usize)].to_vec();
    text.push(0);
    bytes::write(cx, to, &text)
}

/// The limit on output of one call, which exceeds that of any program under test.
const LARGEST_OUTPUT: usize = 1 << 26;

/// The output and its symbolic values. `holes`: symbolic values are allowed.
fn render(
    cx: &mut Cx<'_>,
    format: &[u8],
    arguments: &mut Varargs,
    holes: bool,
) -> Result<(Vec<u8>, Vec<Hole>), Stop> {
    let (mut out, mut open) = (Vec::new(), Vec::new());
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&b| b == b'%') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(spec) = format::parse(rest) else {
            return Err(Flow::Unsupported(
                "a printf format that ends within a conversion".into(),
            ));
        };
        if holes && holes::is_numeric(&spec) && arguments.next_is_symbolic(cx) {
            let value = arguments.next(cx, holes::is_float(&spec))?;
            open.push(Hole {
                at: out.len(),
                spec,
                value,
            });
            out.extend_from_slice(holes::MARK);
        } else if holes
            && spec.conversion == b's'
            && spec.length == Length::Int
            && spec.width == Count::Number(0)
            && holes::is_fixed(&spec)
        {
            let text = open_string(cx, &spec, arguments)?;
            open.extend(text.holes.iter().map(|hole| Hole {
                at: out.len() + hole.at,
                ..*hole
            }));
            out.extend_from_slice(&text.bytes);
        } else {
            let text = convert(cx, &spec, arguments, &rest[..spec.len])?;
            out.extend_from_slice(&text);
        }
        rest = &rest[spec.len..];
        if out.len() > LARGEST_OUTPUT {
            return Err(Flow::Limit(
                LimitKind::Memory,
                "more output than the machine can hold".into(),
            ));
        }
    }
    out.extend_from_slice(rest);
    Ok((out, open))
}

/// The flags, width and precision. For `*`, width and precision come from the arguments.
fn layout(cx: &mut Cx<'_>, spec: &Spec, arguments: &mut Varargs) -> Result<Layout, Stop> {
    let mut layout = spec.layout;
    match spec.width {
        Count::Number(width) => layout.width = width,
        Count::Argument => {
            let width = arguments.integer(cx, 32)? as u32 as i32;
            layout.left |= width < 0;
            layout.width = width.unsigned_abs() as usize;
        }
    }
    layout.precision = match spec.precision {
        None => None,
        Some(Count::Number(precision)) => Some(precision),
        // A negative precision counts as missing.
        Some(Count::Argument) => usize::try_from(arguments.integer(cx, 32)? as u32 as i32).ok(),
    };
    if layout.width.max(layout.precision.unwrap_or(0)) > LARGEST_OUTPUT && spec.conversion != b's' {
        return Err(Flow::Limit(
            LimitKind::Memory,
            "more output than the machine can hold".into(),
        ));
    }
    layout.width = layout.width.min(LARGEST_OUTPUT + 1);
    Ok(layout)
}

fn convert(cx: &mut Cx<'_>, spec: &Spec, arguments: &mut Varargs, text: &[u8]) -> Result<Vec<u8>, Stop> {
    let unsupported = || Flow::Unsupported(format!("printf conversion %{}", String::from_utf8_lossy(text)));
    let layout = layout(cx, spec, arguments)?;
    match spec.conversion {
        b'%' => Ok(b"%".to_vec()),
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'b' | b'B' | b'p' => {
            let value = arguments.integer(cx, holes::bits(spec))?;
            if value >> 46 == 1 {
                // The number is an address.
                if cx.state.modes().turns {
                    cx.program.tell_apart();
                }
                cx.program.note_address_use(cx.site.stmt);
            }
            Ok(holes::number(spec, &layout, value))
        }
        _ if holes::is_float(spec) => {
            if spec.length == Length::LongDouble {
                return Err(unsupported());
            }
            let value = arguments.double(cx)?;
            Ok(holes::number(spec, &layout, value.to_bits()))
        }
        b'c' if spec.length == Length::Int => {
            let byte = arguments.integer(cx, 8)?;
            Ok(holes::number(spec, &layout, byte))
        }
        b's' if spec.length == Length::Int => {
            let address = arguments.integer(cx, 64)?;
            let bytes = string_argument(cx, address, layout.precision)?;
            Ok(format::pad(&layout, "", &bytes, false))
        }
        b'm' => {
            let message = error_message(cx)?;
            let shown = layout.precision.unwrap_or(usize::MAX).min(message.len());
            Ok(format::pad(&layout, "", &message.as_bytes()[..shown], false))
        }
        _ => Err(unsupported()),
    }
}

/// The argument of `%s` without a width.
fn open_string(cx: &mut Cx<'_>, spec: &Spec, arguments: &mut Varargs) -> Result<OpenText, Stop> {
    let precision = match spec.precision {
        Some(Count::Number(precision)) => Some(precision),
        _ => None,
    };
    let address = arguments.integer(cx, 64)?;
    if address == 0 {
        let bytes = string_argument(cx, 0, precision)?;
        return Ok(OpenText {
            bytes,
            holes: Vec::new(),
        });
    }
    let limit = precision.map_or(u64::MAX, |p| p as u64);
    open_text::string(cx, address, limit, "character of an output")
}

fn string_argument(cx: &mut Cx<'_>, address: u64, precision: Option<usize>) -> Result<Vec<u8>, Stop> {
    if address == 0 {
        // Like glibc: all of the text or nothing.
        let fits = precision.is_none_or(|p| p >= 6);
        return Ok(if fits { b"(null)".to_vec() } else { Vec::new() });
    }
    bytes::bounded_string(
        cx,
        address,
        precision.map_or(u64::MAX, |p| p as u64),
        "character of an output",
    )
}
