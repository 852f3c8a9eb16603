/// The one environment of the sandbox: a customer's separate world on the platform.
struct Environment: Codable, Sendable {
  let id: ID<Environment>
  let organization: ID<Organization>
  let name: String
  let license: ID<License>
}

/// The owner of environments; the sandbox only needs its identifier, for tokens.
enum Organization {}

/// What an organization pays for; the sandbox has all there is.
enum License {}
