extension Quirk {
  /// Changes how the description is served; quirks of other places leave it as it is.
  package func alter(_ habits: inout DescriptionHabits) {
    switch self {
    case .descriptionNotFound: habits.status = 404
    case .descriptionFails: habits.status = 500
    case .descriptionRedirects: habits.redirect = .elsewhere
    case .descriptionRedirectLoop: habits.redirect = .loop
    case .descriptionOnOtherHost(let address): habits.redirect = .host(address)
    case .descriptionSlow(let delay): habits.delay = delay
    case .descriptionEndless: habits.framing = .endless
    case .descriptionTruncated: habits.framing = .truncated
    case .descriptionWrongLength: habits.framing = .halfLength
    case .descriptionChunked: habits.framing = .chunked
    case .descriptionWrongType: habits.isPage = true
    case .descriptionClosed: habits.saysNothing = true
    case .descriptionSecondTime: habits.refusesFirst = true
    case .descriptionKeepsConfigID: habits.keepsConfigID = true
    case .descriptionOtherUDN: habits.hasOtherUDN = true
    case .descriptionOtherType: habits.hasOtherType = true
    case .twoLocations: habits.hasSecondPort = true
    default: break
    }
  }
}
