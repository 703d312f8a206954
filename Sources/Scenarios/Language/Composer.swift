import RollcallPrimitives

/// Limits on a document, kept before anything of it is understood.
package enum DocumentLimits {
  package static let bytesMaximum = 1 << 20
  static let depthMaximum = 20
}

/// Turns YAML text into a tree and refuses what makes YAML surprising: anchors, aliases, merge keys, tags, keys that
/// are no text, and more than one document.
enum Composer {
  static func tree(of text: String) -> Result<Tree, Complaint.Stop> {
    // The mark of byte order that some editors write says nothing.
    if text.unicodeScalars.first == "\u{FEFF}" { return tree(of: String(text.unicodeScalars.dropFirst())) }
    if text.utf8.count > DocumentLimits.bytesMaximum {
      return .failure(.init("a scenario has at most 1 MiB, this one has \(text.utf8.count) bytes"))
    }
    if let (mark, value) = controlCharacter(in: text) {
      let digits = PlainText.padded(value, 4).uppercased()
      return .failure(.init("control character U+\(digits) in the file", at: mark))
    }
    return YAMLReader.tree(of: text)
  }

  /// The first character that YAML refuses, found here because only here its line is known.
  private static func controlCharacter(in text: String) -> (Tree.Mark, UInt32)? {
    var mark = Tree.Mark(line: 1, column: 1)
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A: mark = Tree.Mark(line: mark.line + 1, column: 0)
      case 0x09, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: break
      default: return (mark, scalar.value)
      }
      mark.column += 1
    }
    return nil
  }
}

extension Complaint {
  /// A complaint after which nothing more can be read.
  struct Stop: Error {
    var complaint: Complaint
    init(_ complaint: Complaint) { self.complaint = complaint }

    /// - Parameter mark: the place that it is about; the start of the document by default.
    init(_ message: String, at mark: Tree.Mark = Tree.Mark(line: 1, column: 1)) {
      self.init(Complaint(path: TreePath(), mark: mark, message: message))
    }
  }
}
