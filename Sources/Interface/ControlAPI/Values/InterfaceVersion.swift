/// The version of the interface: the second number grows with each addition.
package struct InterfaceVersion: ControlObject, Equatable {
  package let major: Int
  package let minor: Int

  package static let current = InterfaceVersion(major: 1, minor: 5)

  package static let shape = Shape(
    InterfaceVersion.init(major:minor:),
    .required("major", \.major, "grows when something is taken away"),
    .required("minor", \.minor, "grows with each addition")
  )
}
