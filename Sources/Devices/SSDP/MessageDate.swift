extension UnsafeMutableRawPointer {
  /// Writes a date of RFC 1123, `Mon, 01 Jan 2024 00:00:00 GMT`, and returns its length; 32 bytes are written.
  /// - Parameter clockSeconds: seconds since 1970; dates end with the year 9999.
  func write(dateAt clockSeconds: Int64) -> Int {
    let seconds = UInt64(min(max(clockSeconds, 0), 253_402_300_799))
    let days = UInt32(truncatingIfNeeded: seconds / 86_400)
    let time = UInt32(truncatingIfNeeded: seconds % 86_400)
    // The calendar of Neri and Schneider (2023): years begin on 1 March, so that the leap day comes last, and one
    // multiplication gives a year in its upper half and the day of that year in its lower half.
    let quarters = 4 &* (days &+ 719_468) &+ 3
    let years = 2_939_745 &* UInt64(quarters % 146_097 | 3)
    let dayOfYear = UInt32(truncatingIfNeeded: years) / 2_939_745 / 4
    let months = 2_141 &* dayOfYear &+ 197_913
    let isNextYear = dayOfYear >= 306
    let year = 100 &* (quarters / 146_097) &+ UInt32(truncatingIfNeeded: years &>> 32) &+ (isNextYear ? 1 : 0)
    let month = (months &>> 16) &- (isNextYear ? 13 : 1)
    // The form first, then what varies into its places.
    let form: StaticString = "Thu, 01 Jan 1970 00:00:00 GMT   "
    copyMemory(from: form.utf8Start, byteCount: 32)
    write(name: "Thu,Fri,Sat,Sun,Mon,Tue,Wed,", days % 7, at: 0)
    write(name: "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ", month, at: 8)
    write(twoDigits: (months & 0xFFFF) / 2_141 &+ 1, at: 5)
    write(twoDigits: year / 100, at: 12)
    write(twoDigits: year % 100, at: 14)
    write(twoDigits: time / 3_600, at: 17)
    write(twoDigits: time / 60 % 60, at: 20)
    write(twoDigits: time % 60, at: 23)
    return 29
  }

  /// Writes the name at `index` of a row of names with four bytes each.
  @inline(__always)
  private func write(name names: StaticString, _ index: UInt32, at offset: Int) {
    let name = UnsafeRawPointer(names.utf8Start).loadUnaligned(fromByteOffset: 4 &* Int(index), as: UInt32.self)
    storeBytes(of: name, toByteOffset: offset, as: UInt32.self)
  }

  /// Writes a number below 100 with two digits.
  @inline(__always)
  private func write(twoDigits number: UInt32, at offset: Int) {
    let tens = (number &* 103) &>> 10
    storeBytes(of: UInt8(truncatingIfNeeded: 48 &+ tens), toByteOffset: offset, as: UInt8.self)
    storeBytes(of: UInt8(truncatingIfNeeded: 48 &+ number &- 10 &* tens), toByteOffset: offset &+ 1, as: UInt8.self)
  }
}
