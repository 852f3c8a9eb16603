package import JSONRPC

package struct AuthenticationList: ControlMethod {
  package static let name = "authentication.list"
  package static let access = AccessClass.read
  package static let summary = "lists the authentication codes that were claimed"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(AuthenticationList.init)
  package static let example = Example(AuthenticationList(), Answer(authentications: [Samples.code]))

  package struct Answer: ControlObject {
    package let authentications: [AuthenticationObject]

    package init(authentications: [AuthenticationObject]) { self.authentications = authentications }

    package static let shape = Shape(
      Answer.init(authentications:),
      .required("authentications", \.authentications, "the codes")
    )
  }

  package init() {}
}
