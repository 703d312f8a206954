/// How another manager of devices behaves, as far as that is known: for what a scenario shows of it.
///
/// Made of planted faults and of other settings, so it is there only in builds with faults (the trait `PlantedFaults`).
package enum ManagerProfile: String, Hashable, Sendable, CaseIterable {
  /// The Connect SDK for iOS: what is at one address is one device, a UUID is known by the first type that it was found by,
  /// silence ends nothing, another LOCATION is not noticed, and other filters begin everything anew.
  case connectSDKiOS = "connect-sdk-ios"
  /// The Connect SDK for Android: each service of a device is a device of its own, known by name, address and service; required
  /// services are not looked at, a device is where its messages come from, of which a kilobyte is read, and silence of a
  /// minute ends a device.
  case connectSDKAndroid = "connect-sdk-android"

  package var explanation: String {
    switch self {
    case .connectSDKiOS:
      "The Connect SDK for iOS: one device for each address, the first type of a UUID alone, no end by silence."
    case .connectSDKAndroid:
      "The Connect SDK for Android: each service of a device stays apart, a minute of silence ends it."
    }
  }
}
