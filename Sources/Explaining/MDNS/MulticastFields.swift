import RollcallPrimitives
import RollcallWire

/// A message of multicast DNS by itself: what it is, and its parts as names and values.
package struct MulticastFields: Hashable, Sendable {
  /// `query`, `probe` or `response`; `unknown`: it is no DNS message.
  package var type: String
  package var fields: [Field] = []

  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  package init(_ bytes: UnsafeRawBufferPointer) {
    let reading: DNSReader.Reading
    do throws(DNSFault) { reading = try DNSReader.read(bytes) } catch {
      type = "unknown"
      fields = [Field(name: "fault", value: error.description)]
      return
    }
    let message = reading.message
    type = message.flags.isResponse ? "response" : message.authorities.isEmpty ? "query" : "probe"
    func add(_ name: String, _ records: [DNSRecord]) {
      for record in records.prefix(MulticastWords.recordsNamedMaximum) {
        fields.append(Field(name: name, value: MulticastWords.text(record, withTTL: true)))
      }
      let rest = records.count - MulticastWords.recordsNamedMaximum
      if rest > 0 { fields.append(Field(name: name, value: "and \(rest) more")) }
    }
    for question in message.questions.prefix(MulticastWords.recordsNamedMaximum) {
      fields.append(Field(name: "asks", value: MulticastWords.text(question)))
    }
    add(message.flags.isResponse ? "answers" : "knows", message.answers)
    add("proposes", message.authorities)
    add("adds", message.additionals.filter { $0.type != .opt })
    for fault in reading.faults { fields.append(Field(name: "left out", value: fault.description)) }
  }
}
