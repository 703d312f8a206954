import RollcallScenarios
import RollcallWire

/// Field values of a message as text, without a reader's rules: for names and notes.
enum FieldText {
  static func value(_ name: String, of payload: [UInt8]) -> String? {
    let store = payload.withUnsafeBytes { bytes -> String? in
      var start = 0
      while start < bytes.count {
        var end = start
        while end < bytes.count, bytes[end] != 10 { end += 1 }
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        if let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() {
          return trimmed(line[line.index(after: colon)...])
        }
        start = end + 1
      }
      return nil
    }
    return store
  }

  static func trimmed(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
    let start = bytes.firstIndex { !isBlank($0) } ?? bytes.count
    let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
  }
}

/// What a host is called in a scenario, and what is worth saying about it.
enum HostText {
  /// After the device type that it announces, else after what it does.
  static func name(_ messages: [TapedMessage]) -> String {
    let targets = messages.compactMap { FieldText.value("NT", of: $0.payload) ?? FieldText.value("ST", of: $0.payload) }
    for target in targets {
      let parts = target.split(separator: ":")
      if let place = parts.firstIndex(of: "device"), place + 1 < parts.count { return kebab(parts[place + 1]) }
    }
    return messages.allSatisfy { $0.kind == .search } ? "searcher" : "device"
  }

  static func kebab(_ text: Substring) -> String {
    var result = ""
    var wasSmall = false
    for character in text where character.isASCII && (character.isLetter || character.isNumber) {
      if character.isUppercase, wasSmall { result += "-" }
      wasSmall = character.isLowercase
      result += character.lowercased()
    }
    return result.isEmpty ? "device" : result
  }

  /// SERVER, and the bad habits that its messages show.
  static func notes(_ messages: [TapedMessage], _ section: RecordedSection) -> [String] {
    var lines: [String] = []
    if let server = messages.lazy.compactMap({ FieldText.value("SERVER", of: $0.payload) }).first(where: { !$0.isEmpty }
    ) {
      lines.append("SERVER: " + String(server.prefix(90)))
    }
    let habits = QuirkFinder.quirks(of: messages)
    if !habits.isEmpty {
      lines.append("Habits: " + habits.map { $0.text }.joined(separator: ", "))
    }
    return lines
  }
}
