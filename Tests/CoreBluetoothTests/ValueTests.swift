import CoreBluetooth
import RollcallExpectations
import Testing

// An application may say this itself; so the module must not.
extension CBPeripheral: @unchecked Sendable {}
extension CBUUID: @unchecked Sendable {}

@Suite struct ValueTests {
  @Test(arguments: ["180D", "180d", "0000180D", "0000180D-0000-1000-8000-00805F9B34FB"])
  func `the spellings of one UUID are equal and print the shortest`(text: String) {
    let uuid = CBUUID(string: text)
    expectEqual(uuid, CBUUID(string: "180D"))
    expectEqual(uuid.hash, CBUUID(string: "180D").hash)
    expectEqual(uuid.uuidString, "180D")
    expectEqual(uuid.description, "180D")
    expectEqual(Set([uuid, CBUUID(data: Data([0x18, 0x0D]))]).count, 1)
    expectEqual([CBUUID(string: "180D"): 1][uuid], 1)
  }

  @Test func `a UUID is made of text, bytes and a UUID of Foundation`() throws {
    let text = "68753A44-4D6F-1226-9C60-0050E4C00067"
    let uuid = CBUUID(string: text.lowercased())
    expectEqual(uuid.uuidString, text)
    expectEqual(uuid, CBUUID(nsuuid: try #require(UUID(uuidString: text))))
    expectEqual(uuid, CBUUID(data: uuid.data))
    expectEqual(uuid.data.count, 16)
    #expect(uuid != CBUUID(string: "180D"))
    expectEqual(CBUUID(string: "12345678").uuidString, "12345678")
    expectEqual(CBUUID(data: Data([0x12, 0x34, 0x56, 0x78])), CBUUID(string: "12345678"))
    expectEqual(CBUUID(string: "180D").data, Data([0x18, 0x0D]))
    expectEqual((uuid.copy() as? CBUUID), uuid)
    #expect(!uuid.isEqual(text) && !uuid.isEqual(nil) && uuid.isEqual(uuid.copy()))
  }

  @Test(arguments: [
    "", "18", "180G", "180D-", "0000180D-0000-1000-8000-00805F9B34F", "0000180D+0000-1000-8000-00805F9B34FB",
  ])
  func `other text is no UUID`(text: String) {
    expectEqual(AttributeUUID(text), nil)
  }

  @Test func `errors have their numbers`() {
    expectEqual(CBError.Code.allCases.map(\.rawValue), Array(0...18))
    expectEqual(CBATTError.Code.allCases.map(\.rawValue), Array(0...17))
    expectEqual(CBError.Code(rawValue: 6), .connectionTimeout)
    expectEqual(CBError.Code(rawValue: 14), .peerRemovedPairingInformation)
    expectEqual(CBError.Code(rawValue: 19), nil)
    expectEqual(CBATTError.Code(rawValue: 14), .unlikelyError)
    expectEqual(CBError.connectionTimeout.rawValue, 6)
  }

  @Test func `errors have the numbers of their names, and each kind its domain (CB-46)`() {
    expectEqual(
      CBError.Code.allCases.map { "\($0)" },
      [
        "unknown", "invalidParameters", "invalidHandle", "notConnected", "outOfSpace", "operationCancelled",
        "connectionTimeout", "peripheralDisconnected", "uuidNotAllowed", "alreadyAdvertising", "connectionFailed",
        "connectionLimitReached", "unknownDevice", "operationNotSupported", "peerRemovedPairingInformation",
        "encryptionTimedOut", "tooManyLEPairedDevices", "leGattExceededBackgroundNotificationLimit",
        "leGattNearBackgroundNotificationLimit",
      ])
    for code in CBError.Code.allCases {
      let error = CBError(code) as NSError
      #expect(error.domain == "CBErrorDomain" && error.code == code.rawValue)
    }
    for code in CBATTError.Code.allCases {
      let error = CBATTError(code) as NSError
      #expect(error.domain == "CBATTErrorDomain" && error.code == code.rawValue)
    }
    expectEqual(CBError.Code.allCases.map(\.rawValue), Array(0...18))
  }

  @Test func `errors have their domains, and are caught by code and by type`() {
    func fail(_ error: any Error) throws { throw error }
    var caught = ""
    do { try fail(CBError(.connectionTimeout)) } catch CBError.connectionTimeout { caught = "code" } catch {}
    expectEqual(caught, "code")
    do { try fail(CBError(.unknown)) } catch CBError.connectionTimeout { caught = "wrong" } catch let error as CBError {
      caught = "\(error.code)"
    } catch {}
    expectEqual(caught, "unknown")
    do { try fail(CBATTError(.invalidHandle)) } catch CBATTError.invalidHandle { caught = "att" } catch {}
    expectEqual(caught, "att")
    let error: any Error = CBError(.peripheralDisconnected, userInfo: [NSLocalizedDescriptionKey: "gone"])
    expectEqual((error as NSError).domain, CBErrorDomain)
    expectEqual((error as NSError).code, 7)
    expectEqual(error.localizedDescription, "gone")
    #expect(error as? CBError != nil)
    #expect(error as? CBATTError == nil)
    expectEqual(CBATTError(.success).errorCode, 0)
    expectEqual((CBATTError(.readNotPermitted) as NSError).domain, CBATTErrorDomain)
    expectEqual(CBError.errorDomain, CBErrorDomain)
  }

  @Test func `states, properties and keys have Apple's values`() {
    expectEqual(CBManagerState.allCases.map(\.rawValue), Array(0...5))
    expectEqual(CBPeripheralState.disconnecting.rawValue, 3)
    expectEqual(CBManagerAuthorization.allowedAlways.rawValue, 3)
    let properties: [CBCharacteristicProperties] = [
      .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
      .extendedProperties, .notifyEncryptionRequired, .indicateEncryptionRequired,
    ]
    expectEqual(properties.map(\.rawValue), [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200])
    let permissions: [CBAttributePermissions] = [
      .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
    ]
    expectEqual(permissions.map(\.rawValue), [1, 2, 4, 8])
    let features: [CBCentralManager.Feature] = [.extendedScanAndConnect, .channelSounding]
    expectEqual(features.map(\.rawValue), [1, 1_024])
    expectEqual(CBCharacteristicWriteType.withoutResponse.rawValue, 1)
    expectEqual(CBAdvertisementDataLocalNameKey, "kCBAdvDataLocalName")
    expectEqual(CBAdvertisementDataOverflowServiceUUIDsKey, "kCBAdvDataHashedServiceUUIDs")
    expectEqual(CBCentralManagerScanOptionAllowDuplicatesKey, "kCBScanOptionAllowDuplicates")
    expectEqual(CBCentralManagerRestoredStatePeripheralsKey, "kCBRestoredPeripherals")
    expectEqual(CBUUIDClientCharacteristicConfigurationString, "2902")
  }

  @Test func `a switch over a state bears unknown cases without a warning`() {
    func name(_ state: CBManagerState) -> String {
      switch state {
      case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff: "off"
      case .poweredOn: "on"
      @unknown default: "new"
      }
    }
    expectEqual(name(.poweredOn), "on")
  }

  @Test func `each digit of a UUID counts, and it is as short as its first bytes are zero`() {
    for text in ["00010203", "01000203", "0A0F101F", "FFFFFFFF"] {
      expectEqual(CBUUID(string: text).uuidString, text)
    }
    expectEqual(CBUUID(string: "0000090A").uuidString, "090A")
    expectEqual(CBUUID(string: "09afAF90").data, Data([0x09, 0xAF, 0xAF, 0x90]))
    // The neighbours of digits and letters.
    for wrong in ["/", ":", "@", "G", "`", "g"] { expectEqual(AttributeUUID("180" + wrong), nil) }
    let beside = "0000180D-0000-1000-8000-00805F9B34FC"
    expectEqual(CBUUID(string: beside).uuidString, beside)
    // The bytes are as many as were spelled.
    expectEqual(CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB").data.count, 16)
    for count in [0, 1, 3, 5, 15, 17] {
      expectEqual(AttributeUUID(bytes: [UInt8](repeating: 1, count: count)), nil)
    }
  }
}
