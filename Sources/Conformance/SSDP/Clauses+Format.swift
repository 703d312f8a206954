/// The clauses of form of a message.
extension Clause {
  static let formatRows: [Clause] = [
    row(
      .generic, "UDA-1.1-GENERIC", binds: .either, .must, seen: [.passive], .harms, evidence: [.uda20],
      "a start line and header fields in the generic form of RFC 2616, each line ended by CR LF"),
    row(
      .blankLine, "UDA-1.1-BLANKLINE", binds: .either, .must, seen: [.passive], .harms, evidence: [.uda20],
      "a blank line closes the header fields"),
    row(
      .noBody, "UDA-1.1-NOBODY", binds: .either, .should, seen: [.passive], .lint, evidence: [.uda20],
      "nothing follows the blank line, and no length is announced"),
    row(
      .startLine, "UDA-1.1.1-STARTLINE", binds: .either, .must, since: .uda11, seen: [.passive], .breaks,
      evidence: [.uda20, .uda11], "the start line is one of the three fixed ones, with HTTP/1.1"),
    row(
      .otherStartLine, "UDA-1.1.1-RX-OTHER", binds: .either, .should, seen: [.probe], .risks, evidence: [.uda20],
      "a message with any other start line is dropped in silence",
      unchecked: .needsProbe("takes such a message of our own and an eye on the receiver")),
    row(
      .nameCase, "UDA-1.1.2-NAMECASE", binds: .either, .must, seen: [.probe], .breaks, evidence: [.uda20],
      "field names are compared without regard to case",
      unchecked: .needsProbe("takes a message with names in odd case and an eye on the receiver")),
    row(
      .valueCase, "UDA-1.1.2-VALUECASE", binds: .either, .must, seen: [.probe, .passive], .risks, evidence: [.uda20],
      "field values are compared with regard to case unless a field says otherwise",
      unchecked: .needsProbe("takes a message with values in odd case and an eye on the receiver")),
    row(
      .outerBlanks, "UDA-1.1.2-OWS", binds: .either, .hardening, seen: [.probe], .harms, evidence: [.memory],
      "blanks around a value mean nothing, and none has to follow the colon",
      unchecked: .needsProbe("takes a message of our own in that form and an eye on the receiver")),
    row(
      .fieldOrder, "UDA-1.1.2-ORDER", binds: .either, .hardening, seen: [.probe], .risks, evidence: [.memory],
      "the order of the fields means nothing",
      unchecked: .needsProbe("takes messages of our own in several orders and an eye on the receiver")),
    row(
      .folding, "UDA-1.1.2-FOLD", binds: .either, .hardening, seen: [.probe], .risks, evidence: [.memory],
      "a folded line is joined or drops the message, and is never a field of its own",
      unchecked: .needsProbe("takes a folded message of our own and an eye on the receiver")),
    row(
      .vendorName, "UDA-1.1.3-VENDORNAME", binds: .either, .must, since: .uda11, seen: [.passive], .lint,
      evidence: [.uda20], "a vendor's field is named by a token, a dot and the vendor's domain"),
    row(
      .skipUnknown, "UDA-1.1.5-SKIP", binds: .either, .must, seen: [.probe], .breaks, evidence: [.uda20],
      "fields that are not known are skipped and the message is used",
      unchecked: .needsProbe("takes a message with unknown fields and an eye on the receiver")),
    row(
      .parseRequired, "UDA-1.1.5-PARSE-REQUIRED", binds: .either, .must, seen: [.probe], .harms, evidence: [.uda20],
      "all fields that SSDP requires are read",
      unchecked: .needsProbe("takes messages with each field changed and an eye on the receiver")),
    row(
      .discardMalformed, "UDA-1.1.5-DISCARD", binds: .either, .should, seen: [.probe], .risks, evidence: [.uda20],
      "a malformed message is dropped in silence",
      unchecked: .needsProbe("takes a malformed message of our own and an eye on the receiver")),
    row(
      .uuidForm, "UDA-1.1.4-UUID-FORM", binds: .device, .must, since: .uda11, seen: [.passive], .risks,
      evidence: [.uda20], "a UUID is 8-4-4-4-12 hexadecimal digits"),
    row(
      .uuidAny, "UDA-1.1.4-UUID-ANY", binds: .controlPoint, .must, seen: [.probe], .harms, evidence: [.uda20],
      "any string is taken as a UUID, since UDA 1.0 asks for no form",
      unchecked: .needsProbe("takes a device with such a UUID and an eye on the control point")),
    row(
      .uuidStable, "UDA-1.1.4-UUID-STABLE", binds: .device, .must, seen: [.passive, .simulation], .harms,
      evidence: [.uda20], "a UUID outlives restarts and changes of address"),
    row(
      .uuidUnique, "UDA-1.1.4-UUID-UNIQUE", binds: .device, .must, seen: [.passive], .harms, evidence: [.uda20],
      "no two devices have the same UUID"),
    row(
      .uuidCase, "H-UUID-CASE", binds: .controlPoint, .hardening, seen: [.probe], .risks, evidence: [.ours],
      "UUIDs that differ only in the case of letters are treated by one rule everywhere",
      unchecked: .needsProbe("takes two spellings of one UUID and an eye on the control point")),
    row(
      .duplicateField, "H-DUP-FIELD", binds: .either, .hardening, seen: [.probe], .risks, evidence: [.ours],
      "a field that comes twice is read by a declared rule",
      unchecked: .needsProbe("takes a message with a field twice and an eye on the receiver")),
    row(
      .eightBit, "H-BYTES-8BIT", binds: .controlPoint, .hardening, seen: [.probe], .harms, evidence: [.ours],
      "bytes beyond ASCII in one field cost neither the message's other fields nor the receiver",
      unchecked: .needsProbe("takes a message with such bytes and an eye on the receiver")),
    row(
      .size, "H-SIZE", binds: .either, .hardening, seen: [.probe], .harms, evidence: [.ours],
      "large datagrams, many fields and long lines cost bounded time and memory",
      unchecked: .needsProbe("takes such messages and a look at the receiver's time and memory")),
  ]
}
