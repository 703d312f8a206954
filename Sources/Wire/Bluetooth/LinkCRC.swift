/// The CRC of 24 bits that ends a packet of Bluetooth LE.
///
/// Bits are taken as they are sent, lowest first; the value is kept in the order of the air, so that its lowest byte is
/// the first of the three that follow the PDU.
public enum LinkCRC {
  /// What advertising starts from; a connection has a value of its own.
  public static let advertising: UInt32 = 0x555555

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { state, _ in state &>> 1 ^ (state & 1 == 0 ? 0 : 0xDA_6000) }
  }

  /// - Parameter start: as the standard prints it, highest bit first.
  public static func value(of pdu: UnsafeRawBufferPointer, start: UInt32 = LinkCRC.advertising) -> UInt32 {
    var state: UInt32 = 0
    for bit in 0..<24 where start &>> UInt32(bit) & 1 == 1 { state |= 1 &<< UInt32(23 - bit) }
    return table.withUnsafeBufferPointer { table in
      pdu.reduce(state) { state, byte in state &>> 8 ^ table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] }
    }
  }
}
