//! Splits a command line that is given as one text.

/// The words of a text by the rules of the shell and of compilers' response files: white space
/// separates words; quotes and backslashes keep it within a word.
#[must_use]
pub fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut open) = (Vec::new(), String::new(), false);
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(mark), _) if mark == letter => quote = None,
            (Some('"'), '\\') => match letters.next() {
                Some(next @ ('"' | '\\' | '$' | '`')) => word.push(next),
                Some('\n') => {}
                Some(next) => word.extend(['\\', next]),
                None => word.push('\\'),
            },
            (Some(_), _) => word.push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                open = true;
            }
            (None, '\\') => match letters.next() {
                Some('\n') | None => {}
                Some(next) => {
                    word.push(next);
                    open = true;
                }
            },
            (None, _) if letter.is_whitespace() => {
                if open {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (None, _) => {
                word.push(letter);
                open = true;
            }
        }
    }
    if open {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_as_the_shell_has_them() {
        assert_eq!(
            split("cc  -DX='a b' -DY=\\\"q\\\" \"-Iin c\" '' \"a\\nb\" x\\ y\n"),
            ["cc", "-DX=a b", "-DY=\"q\"", "-Iin c", "", "a\\nb", "x y"]
        );
        assert!(split("  ").is_empty());
    }
}
