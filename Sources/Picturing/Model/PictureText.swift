import RollcallPrimitives
import RollcallReporting

/// Text from anywhere, made fit for a page: nothing hidden in it, and not too long.
package enum PictureText {
  /// - Parameter scalarsMaximum: what comes behind so many characters is cut off.
  package static func shown(_ text: String, scalarsMaximum: Int = 400) -> String {
    if text.utf8.count <= scalarsMaximum { return PlainText.shown(text) }
    let kept = text.unicodeScalars.prefix(scalarsMaximum)
    let isCut = kept.endIndex != text.unicodeScalars.endIndex
    return PlainText.shown(String(String.UnicodeScalarView(kept))) + (isCut ? "…" : "")
  }

  /// Bytes as text where they are printable text, else how many they are.
  package static func line(of bytes: [UInt8]) -> String {
    let first = bytes.prefix { $0 != 13 && $0 != 10 }
    let isText = first.count >= 4 && first.allSatisfy { (0x20..<0x7F).contains($0) }
    if isText { return String(decoding: first.prefix(120), as: UTF8.self) }
    return PlainWords.count(bytes.count, "byte")
  }
}
