/// The clauses of BOOTID, CONFIGID, update, byebye.
extension Clause {
  static let bootRows: [Clause] = [
    row(
      .bootIDForm, "UDA-1.2.2-BOOT-INT31", binds: .device, .must, since: .uda11, seen: [.passive], .risks,
      evidence: [.uda20], "BOOTID is a decimal number of 31 bits without sign and leading zeros"),
    row(
      .bootIDZeros, "UDA-1.2.2-BOOT-ZEROS", binds: .controlPoint, .must, since: .uda11, seen: [.probe], .lint,
      evidence: [.uda20], "leading zeros are ignored when BOOTIDs are compared",
      unchecked: .needsProbe("takes two spellings of one BOOTID and an eye on the control point")),
    row(
      .bootIDGrows, "UDA-1.2.2-BOOT-GROW", binds: .device, .must, since: .uda11, seen: [.passive, .simulation], .harms,
      evidence: [.uda20], "BOOTID grows with each first announcement and when an interface is added"),
    row(
      .bootIDSame, "UDA-1.2.2-BOOT-SAME", binds: .device, .must, since: .uda11, seen: [.passive], .harms,
      evidence: [.uda20], "BOOTID stays the same in repeats, answers, updates and byebyes while the device stays"),
    row(
      .bootIDEverywhere, "UDA-1.2.2-BOOT-ALLMSG", binds: .device, .must, since: .uda11, seen: [.passive], .risks,
      evidence: [.uda20], "BOOTID is in the messages of the root, of embedded devices and of services alike"),
    row(
      .bootIDNoTime, "UDA-1.2.2-BOOT-NOTTIME", binds: .controlPoint, .must, isProhibition: true, since: .uda11,
      seen: [.simulation], .lint, evidence: [.uda20], "BOOTID is never read as a time",
      unchecked: .untestable("what a control point takes a number for cannot be seen")),
    row(
      .bootIDDiffers, "UDA-1.2.4-BOOT-DIFF", binds: .controlPoint, .must, since: .uda11, seen: [.probe, .simulation],
      .harms, evidence: [.uda20], "any other BOOTID, higher or lower, is a restart: the device counts as newly found"),
    row(
      .bootIDMultihomed, "UDA-1.2-BOOT-MULTIHOME", binds: .controlPoint, .may, since: .uda11,
      seen: [.probe, .simulation], .harms, evidence: [.uda20],
      "one UUID and BOOTID from two addresses is one device with two, another BOOTID is a move",
      unchecked: .needsProbe("takes such a device and a look at what the control point reports")),
    row(
      .configIDRange, "UDA-1.2.2-CFG-RANGE", binds: .device, .must, since: .uda11, seen: [.passive], .lint,
      evidence: [.uda20], "a CONFIGID that the device chose lies in 0 to 16777215"),
    row(
      .configIDChange, "UDA-1.2.2-CFG-CHANGE", binds: .device, .must, since: .uda11, seen: [.description], .risks,
      evidence: [.uda20], "CONFIGID changes when a description does, and only then"),
    row(
      .configIDCache, "UDA-1.2.2-CFG-CACHE", binds: .controlPoint, .may, since: .uda11, seen: [.probe], .risks,
      evidence: [.uda20], "the same CONFIGID may save the fetch, another may not serve the old document",
      unchecked: .needsProbe("takes a device that counts the fetches of its description")),
    row(
      .byebyeSend, "UDA-1.2.3-BB-SEND", binds: .device, .should, seen: [.probe, .passive], .risks, evidence: [.uda20],
      "who leaves revokes each announcement that has not expired"),
    row(
      .byebyeFields, "UDA-1.2.3-BB-FIELDS", binds: .device, .must, seen: [.passive], .risks, evidence: [.uda20],
      "byebye has HOST, NT, NTS, USN, and from UDA 1.1 on BOOTID and CONFIGID"),
    row(
      .byebyeTemplate, "UDA-1.2.3-BB-TEMPLATE", binds: .device, .hardening, seen: [.passive], .lint, evidence: [.uda20],
      "CACHE-CONTROL, LOCATION and SERVER have no place in a byebye"),
    row(
      .byebyePair, "UDA-1.2.3-BB-PAIR", binds: .device, .must, seen: [.passive], .risks, evidence: [.uda20],
      "NT and USN of a byebye are those of an announcement"),
    row(
      .updateWhen, "UDA-1.2.4-UPD-WHEN", binds: .device, .must, since: .uda11, seen: [.simulation], .risks,
      evidence: [.uda20], "an interface that comes, or an address that changes, is told by updates on the others"),
    row(
      .updateFields, "UDA-1.2.4-UPD-FIELDS", binds: .device, .must, since: .uda11, seen: [.passive, .simulation],
      .risks, evidence: [.uda20], "update has HOST, LOCATION, NT, NTS, USN, BOOTID, CONFIGID, NEXTBOOTID"),
    row(
      .updateLocation, "UDA-1.2.4-UPD-LOC", binds: .device, .must, since: .uda11, seen: [.passive, .simulation], .risks,
      evidence: [.uda20], "LOCATION of an update is that of earlier messages on the interface"),
    row(
      .updateNext, "UDA-1.2.4-UPD-NEXT", binds: .device, .must, since: .uda11, seen: [.passive, .simulation], .harms,
      evidence: [.uda11], "NEXTBOOTID is above BOOTID and is the BOOTID that comes next"),
    row(
      .updateBefore, "UDA-1.2.4-UPD-BEFORE", binds: .device, .must, since: .uda11, seen: [.passive, .simulation],
      .risks, evidence: [.uda20, .uda11],
      "all updates come before the first alive with the new BOOTID, the root's first"),
    row(
      .updateReceived, "UDA-1.2.4-UPD-CP", binds: .controlPoint, .must, since: .uda11, seen: [.probe, .simulation],
      .harms, evidence: [.uda20], "a control point takes NEXTBOOTID over and reports no loss"),
  ]
}
