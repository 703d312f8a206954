/// A command as a person writes it, cut into words without a shell.
package enum CommandWords {
  package enum Failure: String, Error, Hashable {
    case empty = "it is empty: name a program, as in 'upnpc -l'"
    case openQuote = "a quote is not closed, or nothing follows a backslash"
  }

  /// The words of a command line: blanks part them, quotes and backslashes keep them together; no shell.
  package static func split(_ text: String) throws(CommandWords.Failure) -> [String] {
    var words: [String] = []
    var word = ""
    var isOpen = false
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        word.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        (isEscaped, isOpen) = (true, true)
      } else if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
      } else if character == "'" || character == "\"" {
        (quote, isOpen) = (character, true)
      } else if character == " " || character == "\t" || character == "\n" {
        if isOpen { words.append(word) }
        (word, isOpen) = ("", false)
      } else {
        word.append(character)
        isOpen = true
      }
    }
    if quote != nil || isEscaped { throw .openQuote }
    if isOpen { words.append(word) }
    if words.isEmpty { throw .empty }
    return words
  }
}
