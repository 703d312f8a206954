/// Reads each beginning of a header that is too short, then the header whole, alone and with more bytes behind it.
/// - Returns: a line for each reading that is not what it ought to be: none of a beginning, `expected` of the rest.
package func misreadings(
  of header: [UInt8], _ expected: String, _ read: (UnsafeRawBufferPointer) -> String?
) -> [String] {
  var lines: [String] = []
  for count in 0..<header.count {
    let found = Array(header[..<count]).withUnsafeBytes { read($0) }
    if let found { lines.append("\(count) bytes of \(expected): \(found)") }
  }
  for more in [[], [0xFF], [UInt8](repeating: 0, count: 70)] as [[UInt8]] {
    let found = (header + more).withUnsafeBytes { read($0) }
    if found != expected { lines.append("\(expected) and \(more.count) bytes: \(found ?? "nothing")") }
  }
  return lines
}
