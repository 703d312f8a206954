// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The strings are Apple's own: applications have them in saved states and in literals.

// MARK: Advertisement data

/// A String: the name that the peripheral advertises.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// Data: the company's number, low byte first, and what follows it.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// A dictionary of Data by CBUUID.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// An array of CBUUID.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// An array of CBUUID that were found in the overflow area; they may be wrong.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// An NSNumber: dBm at the antenna of the peripheral.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// An NSNumber with a Bool: whether this packet invites connections.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// An array of CBUUID that the peripheral looks for.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"

// MARK: A central manager's initialisation

public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"

// MARK: Scans

/// A Bool: an event for each packet that is received.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// An array of CBUUID: peripherals that look for one of these count as well.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

// MARK: Connections

public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// A number: seconds to wait before the attempt.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"
/// A Bool: a connection that is lost is sought again without another call.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionAutoReconnect"

// MARK: Restored centrals

/// An array of CBPeripheral, connected or pending.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// An array of CBUUID: what the scan looked for.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// A dictionary: the options of the scan.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

// MARK: Peripheral managers

public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// An array of CBMutableService that were published.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// A dictionary: what was advertised.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"
