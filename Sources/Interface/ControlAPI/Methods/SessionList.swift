package import JSON
package import JSONRPC

/// Lists the sessions that sign-ons left here.
package struct SessionList: ControlMethod {
  package static let name = "session.list"
  package static let access = AccessClass.read
  package static let summary = "lists the sessions that sign-ons left here"
  package static let parameters: [Property] = []

  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("sessions", .array(SignOnSession.schema))])

    /// The sessions, newest first.
    package let sessions: [SignOnSession]

    package var json: JSON { ["sessions": .array(sessions.map(\.json))] }

    package init(sessions: [SignOnSession]) { self.sessions = sessions }
  }

  package init(_ parameters: Parameters) throws(RPCError) {}
}
