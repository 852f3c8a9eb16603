internal import CourierProtocol

/// What one page may make of itself: past it the sign-on ends, while the page is still being read.
struct PageBudget {
  /// How much text may grow out of it, in bytes: no page that is taken has more to begin with.
  private var text = CourierResponse.largestDocument

  /// Notes that so much text is about to be made.
  mutating func spend(text count: Int) throws(SignOnFailure) {
    guard count <= text else { throw .tooLarge }
    text -= count
  }
}
