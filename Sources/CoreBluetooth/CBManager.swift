public import Foundation

/// What central and peripheral managers have in common.
open class CBManager: NSObject {
  let link: ManagerLink

  init(link: ManagerLink) {
    self.link = link
    super.init()
  }

  /// `unknown` until the first callback.
  open var state: CBManagerState { link.state }

  /// What the person has allowed this application; it can be read before there is any manager.
  open class var authorization: CBManagerAuthorization { PhoneLink.phone?.authorization ?? .notDetermined }

  @available(*, deprecated, message: "use the class property")
  open var authorization: CBManagerAuthorization { link.phone?.authorization ?? .notDetermined }
}
