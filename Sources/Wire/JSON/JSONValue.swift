import RollcallPrimitives

/// A value of JSON (RFC 8259). Members keep their order, so that what is written changes only where it means to.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  /// Any other number, as it was written: nothing is lost by rounding.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  public struct Member: Hashable, Sendable {
    public var name: String
    public var value: JSONValue
    public init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
  }

  public static func members(_ members: (String, JSONValue)...) -> JSONValue {
    .object(members.map { Member($0.0, $0.1) })
  }

  /// The value of a member; `nil`: there is none, or this is no object.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  public var string: String? { if case .string(let text) = self { text } else { nil } }
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

  /// On one line, without blanks.
  public var line: String {
    var text = ""
    write(into: &text)
    return text
  }

  private func write(into text: inout String) {
    switch self {
    case .array(let items):
      text += "["
      for (number, item) in items.enumerated() {
        if number > 0 { text += "," }
        item.write(into: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (number, member) in members.enumerated() {
        if number > 0 { text += "," }
        JSONValue.write(member.name, into: &text)
        text += ":"
        member.value.write(into: &text)
      }
      text += "}"
    case .null, .bool, .integer, .number, .string: writeScalar(into: &text)
    }
  }

  /// Writes one that is neither an array nor an object.
  package func writeScalar(into text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += value
    case .string(let value): JSONValue.write(value, into: &text)
    case .array, .object: break
    }
  }

  /// Writes a string with its quotation marks; characters that cannot be seen are written as `\u` and four digits.
  package static func write(_ value: String, into text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      if let escape = PlainText.jsonEscape(of: scalar) {
        text += escape
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

/// Why bytes are no JSON, and at which of them.
public struct JSONFault: Error, Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The bytes end within a value.
    case cutShort
    /// Something else than a value, a comma, a colon or a bracket, where one of these has to be.
    case unexpectedByte
    /// Something else than blanks behind the value.
    case behindTheEnd
    case number
    /// A backslash before something that it cannot stand before.
    case escape
    /// Half of a character of UTF-16, without its other half.
    case surrogate
    /// A byte below 0x20 in a string.
    case controlByte
    case notUTF8
    /// Two members of one object have the same name: two readers could disagree about the value.
    case sameName
    case tooDeep
    case tooManyValues
    case tooLong
  }
  public var reason: Reason
  public var offset: Int
  public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}
