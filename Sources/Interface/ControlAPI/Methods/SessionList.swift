package import JSONRPC

package struct SessionList: ControlMethod {
  package static let name = "session.list"
  package static let access = AccessClass.read
  package static let summary = "lists the sessions that sign-ons left here"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(SessionList.init)
  package static let example = Example(SessionList(), Answer(sessions: [Samples.session]))

  package struct Answer: ControlObject {
    package let sessions: [SignOnSession]

    package init(sessions: [SignOnSession]) { self.sessions = sessions }

    package static let shape = Shape(
      Answer.init(sessions:),
      .required("sessions", \.sessions, "the sessions, the newest first")
    )
  }

  package init() {}
}
