/// Reads one DNS message (RFC 1035 §4) as multicast DNS uses them (RFC 6762 §18).
///
/// What does not show where the next entry begins refuses the message as a whole: the header, a question, and a
/// record's name, fixed fields and length. A record whose length is right and whose data is not is left out and
/// reported, and the others are kept; so are bytes behind the last record. Offsets count bytes from the first one of
/// the message.
///
/// | what stands there | is |
/// |---|---|
/// | less than a header, more than 65 507 bytes | refused |
/// | counts for which the bytes are too few, or of more than 2 048 entries together | refused at the count |
/// | a name or a fixed field that is cut or wrong in a question or before a record's data | refused |
/// | a length that goes beyond the message | refused |
/// | names of more than 65 536 bytes, each in full, 2 added for each pointer on the way | refused, in data as well |
/// | data that is no data of its type | left out, reported |
/// | bytes behind the last record | left out, reported |
///
/// A compression pointer has to go backwards: to a byte before the first one of the name or, behind another pointer,
/// before the place where that one pointed. So there are no loops. The budget for names is what keeps a small message
/// from becoming a large value: 9 000 bytes of honest records have names of less than half of it.
public enum DNSReader {
  /// The largest payload that UDP over IPv4 carries.
  public static let byteCountMaximum = 65_507
  /// Questions and records together; a message of 9 000 bytes (RFC 6762 §17) has room for no 820 records.
  public static let entryCountMaximum = 2_048
  /// For all names of a message, each in full; 2 bytes are counted for each pointer.
  public static let nameBytesMaximum = 65_536

  /// A message, and what was left out of it: records with wrong data, bytes behind the end.
  public struct Reading: Hashable, Sendable {
    public var message: DNSMessage
    /// In the order of the records, one at most for each and one for the end. The offset of a name that is wrong behind
    /// a pointer lies before its record.
    public var faults: [DNSFault]
  }

  /// Reads the one message that `bytes` are, with every name and every text.
  public static func read(_ bytes: UnsafeRawBufferPointer) throws(DNSFault) -> Reading {
    let index = try index(bytes)
    return Reading(message: index.message(of: bytes), faults: index.faults)
  }

  /// Checks the one message that `bytes` are. What it finds is what `read` makes values of.
  package static func index(_ bytes: UnsafeRawBufferPointer) throws(DNSFault) -> DNSIndex {
    var index = DNSIndex()
    try check(bytes, into: &index)
    return index
  }

  /// The same into an index whose memory is used again. After an error it is of no use but to be given here again.
  package static func check(_ bytes: UnsafeRawBufferPointer, into index: inout DNSIndex) throws(DNSFault) {
    let counts = try checkedCounts(bytes)
    try withUnsafeTemporaryAllocation(of: DNSCheckedNames.Name.self, capacity: DNSCheckedNames.count) {
      (names) throws(DNSFault) -> Void in
      try check(DNSBytes(bytes), counts, DNSCheckedNames(names.baseAddress.unsafelyUnwrapped), into: &index)
    }
  }

  private static func check(
    _ bytes: DNSBytes, _ counts: Counts, _ names: DNSCheckedNames, into index: inout DNSIndex
  ) throws(DNSFault) {
    var faults: [DNSFault] = []
    index.makeRoom(counts.entries)
    let ends = try index.entries.withUnsafeMutableBufferPointer { (room) throws(DNSFault) -> DNSIndex.Ends in
      var cursor = DNSCursor(bytes, names: names, entries: room)
      try cursor.questions(counts.questions)
      let questions = cursor.entryCount
      try cursor.records(counts.answers, &faults)
      let answers = cursor.entryCount
      try cursor.records(counts.authorities, &faults)
      let authorities = cursor.entryCount
      try cursor.records(counts.additionals, &faults)
      if cursor.offset < bytes.count {
        faults.append(DNSFault(.trailingBytes, at: cursor.offset, expected: 0, found: bytes.count &- cursor.offset))
      }
      return DNSIndex.Ends(questions: questions, answers: answers, authorities: authorities, all: cursor.entryCount)
    }
    index.set(id: bytes.big16(0), flags: DNSFlags(rawValue: bytes.big16(2)), ends, faults)
  }

  private struct Counts {
    var questions: Int
    var answers: Int
    var authorities: Int
    var additionals: Int

    var records: Int { answers &+ authorities &+ additionals }
    var entries: Int { questions &+ records }
  }

  // A name of one byte, then type and class, and in a record TTL and length.
  private static let questionBytesMinimum = 5
  private static let recordBytesMinimum = 11

  /// The counts of the header, none of which asks for more than the bytes can hold.
  @inline(__always) private static func checkedCounts(_ bytes: UnsafeRawBufferPointer) throws(DNSFault) -> Counts {
    let count = bytes.count
    guard count >= DNSMessage.headerBytes else {
      throw DNSFault(.tooShort, at: count, expected: DNSMessage.headerBytes, found: count)
    }
    guard count <= byteCountMaximum else {
      throw DNSFault(.tooLong, at: byteCountMaximum, expected: byteCountMaximum, found: count)
    }
    let counts = Counts(
      questions: Int(bytes.big16(4)), answers: Int(bytes.big16(6)), authorities: Int(bytes.big16(8)),
      additionals: Int(bytes.big16(10)))
    let room = count &- DNSMessage.headerBytes
    let leastBytes = counts.questions &* questionBytesMinimum &+ counts.records &* recordBytesMinimum
    guard leastBytes <= room, counts.entries <= entryCountMaximum else { throw countFault(counts, room) }
    return counts
  }

  /// The first count that is too much with those before it.
  private static func countFault(_ counts: Counts, _ room: Int) -> DNSFault {
    var (entries, leastBytes, place) = (counts.questions, counts.questions &* questionBytesMinimum, 4)
    var rest = [counts.answers, counts.authorities, counts.additionals][...]
    while leastBytes <= room, entries <= entryCountMaximum, let count = rest.popFirst() {
      entries &+= count
      leastBytes &+= count &* recordBytesMinimum
      place &+= 2
    }
    return leastBytes > room
      ? DNSFault(.countTooLarge, at: place, expected: room, found: leastBytes)
      : DNSFault(.tooManyEntries, at: place, expected: entryCountMaximum, found: entries)
  }
}
