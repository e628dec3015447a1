//! A page of Markdown as what is done with it: files to write, commands to run with what they
//! print.

/// What a reader of a page does next.
pub enum Part {
    File {
        name: String,
        text: String,
    },
    /// Some lines of a file, and what they become.
    Edit {
        name: String,
        old: String,
        new: String,
    },
    Command(Command),
}

/// A command of a `console` block.
pub struct Command {
    /// The number of its line in the page.
    pub line: usize,
    pub text: String,
    /// The lines that it prints, as the page shows them.
    pub output: Vec<String>,
}

/// The files and commands of a page, in their order.
///
/// # Errors
/// A `console` block that begins without a command, a `diff` that names no file.
pub fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .collect();
        if language == "console" {
            parts.extend(commands(number + 2, &block)?.into_iter().map(Part::Command));
        } else if language == "diff" {
            parts.push(edit(&block).ok_or(format!("line {}: a diff of no file", number + 1))?);
        } else if let Some(name) = block.first().and_then(|line| file_name(line)) {
            let text = block.iter().map(|line| format!("{line}\n")).collect();
            let name = name.to_owned();
            parts.push(Part::File { name, text });
        }
    }
    Ok(parts)
}

/// A block as `diff` writes it, without numbers of lines.
fn edit(block: &[&str]) -> Option<Part> {
    let (first, lines) = block.split_first()?;
    let name = first.strip_prefix("--- ")?.to_owned();
    let side = |sign: char| {
        let of_side = lines.iter().filter(|line| !line.starts_with(sign));
        let text = of_side.map(|line| line.get(1..).unwrap_or_default());
        text.map(|line| format!("{line}\n")).collect::<String>()
    };
    let (old, new) = (side('+'), side('-'));
    Some(Part::Edit { name, old, new })
}

/// The file that a comment in a first line names.
fn file_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix("// ").or_else(|| line.strip_prefix("# "))?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    (name.contains('.') && name.chars().all(is_name)).then_some(name)
}

fn commands(first: usize, block: &[&str]) -> Result<Vec<Command>, String> {
    let mut commands: Vec<Command> = Vec::new();
    for (number, line) in block.iter().enumerate() {
        if let Some(text) = line.strip_prefix("$ ") {
            commands.push(Command {
                line: first + number,
                text: text.to_owned(),
                output: Vec::new(),
            });
            continue;
        }
        match commands.last_mut() {
            // The next line of a command.
            Some(command) if command.output.is_empty() && command.text.ends_with('\\') => {
                command.text.push('\n');
                command.text.push_str(line);
            }
            Some(command) => command.output.push(line.trim_end().to_owned()),
            None => return Err(format!("line {}: no command before this output", first + number)),
        }
    }
    Ok(commands)
}

/// Whether lines are what a page shows of them.
pub fn matches(shown: &[String], lines: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else {
        return lines.is_empty();
    };
    if first.trim() == "…" {
        return (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]));
    }
    match lines.split_first() {
        Some((line, others)) => line_matches(first, line) && matches(rest, others),
        None => false,
    }
}

fn line_matches(shown: &str, line: &str) -> bool {
    let mut pieces = shown.split('…');
    let Some(mut left) = pieces.next().and_then(|begin| line.strip_prefix(begin)) else {
        return false;
    };
    // The program's own `…` is one of the texts that it stands for.
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else {
        return left.is_empty();
    };
    for piece in middle {
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

/// The arguments of each `selvedge` command that a page shows outside of `console` blocks, each on
/// a line of its own.
pub fn unrun(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut commands = Vec::new();
    let mut fence: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            fence = match fence {
                Some(_) => None,
                None => Some(language),
            };
            continue;
        }
        let code = match fence {
            Some("console") => continue,
            Some(_) => Some(line),
            None => line.strip_prefix("    "),
        };
        let words = code.unwrap_or_default().split_whitespace();
        // A wide space or a `#` begins a remark.
        let code = code.unwrap_or_default();
        let end = code.find("   ").or_else(|| code.find(" #")).unwrap_or(code.len());
        let words = words.take(code[..end].split_whitespace().count());
        let mut words = words.map(str::to_owned);
        let first = words.next().unwrap_or_default();
        // A build file may have a variable of this name.
        if code.contains(" = ") {
            continue;
        }
        if first == "selvedge" || first == "target/release/selvedge" {
            let pipe = |word: &String| !["|", ">", "&&", ";"].contains(&word.as_str());
            commands.push((number + 1, words.take_while(pipe).collect()));
        }
    }
    commands
}
