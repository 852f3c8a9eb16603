/// An environment of PingOne, which users belong to.
package struct Environment: ControlObject, Equatable {
  package let id: String

  package init(id: String) { self.id = id }

  package static let shape = Shape(
    Environment.init(id:),
    .required("id", \.id, as: .identifier, "the environment's id")
  )
}
