/// What is told instead of events that a client was too slow for.
package struct LostEvents: ControlObject, Equatable {
  package let count: Int

  package init(count: Int) { self.count = count }

  package static let shape = Shape(
    LostEvents.init(count:),
    .required("count", \.count, "how many were dropped, the oldest first")
  )
}
