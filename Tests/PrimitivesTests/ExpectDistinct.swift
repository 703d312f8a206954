import RollcallExpectations
import RollcallPrimitives
import Testing

/// No two values have one text or one digest, and each text is read back as its value.
/// - Parameter sum: of what all of them add to a digest. Digests of runs are compared between builds, so no value may
///   add anything else than before.
func expectDistinct<Value: PortValue>(
  _ values: [Value], sum: UInt64? = nil, at location: SourceLocation = #_sourceLocation
) {
  var all = Digest()
  for value in values { value.fold(into: &all) }
  if let sum {
    expectEqual(all.state, sum, "0x\(String(all.state, radix: 16))", sourceLocation: location)
  }
  var texts: Set<String> = []
  var digests: Set<UInt64> = []
  for value in values {
    let text = value.text
    #expect(text.utf8.allSatisfy { (32...126).contains($0) }, "\(text)", sourceLocation: location)
    #expect(texts.insert(text).inserted, "twice: \(text)", sourceLocation: location)
    #expect(digests.insert(value.digest).inserted, "a digest twice: \(text)", sourceLocation: location)
    let read = try? Value(text: text)
    expectEqual(read, value, "\(text)", sourceLocation: location)
    // A line that goes on, or has a word too few, is another value or none.
    let shorter = text.split(separator: " ").dropLast().joined(separator: " ")
    if let read = try? Value(text: shorter) { #expect(read != value, "\(text)", sourceLocation: location) }
  }
}
