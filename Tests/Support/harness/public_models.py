"""Models of responses from PingOne's public Go client and OpenAPI files: members, requirements, types.

From patrickcping/pingone-go-sdk-v2 (mfa 0.25.1, and management of the same time). It has no models of devices,
pairing keys and device authentications. Their members are from Ping's developer documentation; those of mobile
devices, which are not documented, are from Ping's applications.
"""

from jsonschema import Draft202012Validator, FormatChecker

TEXT, FLAG, NUMBER = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}
INSTANT = {"type": "string", "format": "date-time"}


def one_of(*values):
    return {"type": "string", "enum": list(values)}


def many(items):
    return {"type": "array", "items": items}


def model(required, **optional):
    """An object with the required members and only these members, since clients expect no undocumented ones."""
    properties = {**required, **optional}
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(required),
        "additionalProperties": False,
    }


LINKS = {"type": "object", "additionalProperties": model({"href": TEXT})}
REFERENCE = model({"id": TEXT})
RESOURCE = {"id": TEXT, "_links": LINKS}
"""Members that the client accepts as missing, but cannot work without."""

ERROR = model(
    {"id": TEXT, "code": TEXT, "message": TEXT},
    details=many(
        model(
            {},
            code=TEXT,
            target=TEXT,
            message=TEXT,
            innerError=model(
                {},
                rangeMinimumValue=NUMBER,
                rangeMaximumValue=NUMBER,
                allowedPattern=TEXT,
                allowedValues=many(TEXT),
                maximumValue=NUMBER,
                referencedValues=many(TEXT),
            ),
        )
    ),
)

ENVIRONMENT = model(
    {
        **RESOURCE,
        "name": TEXT,
        "type": one_of("PRODUCTION", "SANDBOX"),
        "region": one_of("NA", "CA", "EU", "AP", "AU", "SG"),
        "license": REFERENCE,
    },
    description=TEXT,
    status=one_of("ACTIVE", "DELETE_PENDING"),
    organization=REFERENCE,
    createdAt=INSTANT,
    updatedAt=INSTANT,
)

USER = model(
    {**RESOURCE, "username": TEXT, "email": TEXT},
    account=model(
        {"canAuthenticate": FLAG, "status": one_of("LOCKED", "OK")},
        lockedAt=INSTANT,
        secondsUntilUnlock=NUMBER,
        unlockAt=INSTANT,
    ),
    createdAt=INSTANT,
    emailVerified=FLAG,
    enabled=FLAG,
    environment=REFERENCE,
    identityProvider=model({}, id=TEXT, type=one_of("PING_ONE")),
    lifecycle=model({}, status=one_of("ACCOUNT_OK", "VERIFICATION_REQUIRED")),
    locale=TEXT,
    mfaEnabled=FLAG,
    mobilePhone=TEXT,
    name=model({}, family=TEXT, formatted=TEXT, given=TEXT, middle=TEXT),
    nickname=TEXT,
    population=REFERENCE,
    preferredLanguage=TEXT,
    primaryPhone=TEXT,
    updatedAt=INSTANT,
    verifyStatus=one_of("NOT_INITIATED", "ENABLED", "DISABLED"),
)

DEVICE = model(
    {
        **RESOURCE,
        "type": one_of("MOBILE", "EMAIL", "SMS", "VOICE", "WHATSAPP", "TOTP", "FIDO2", "SECURITY_KEY", "PLATFORM"),
        "status": one_of("ACTIVE", "ACTIVATION_REQUIRED"),
        "environment": REFERENCE,
        "user": REFERENCE,
        "createdAt": INSTANT,
        "updatedAt": INSTANT,
    },
    nickname=TEXT,
    policy=model({"id": TEXT}, type=TEXT),
    block=model({"status": one_of("BLOCKED", "UNBLOCKED")}, blockedAt=INSTANT),
    lock=model({"status": one_of("LOCKED", "UNLOCKED")}, expiresAt=INSTANT),
    application=REFERENCE,
    pushEnabled=FLAG,
    logs=model({"status": one_of("PENDING", "RECEIVED")}, expiresAt=INSTANT),
    os=model({"type": TEXT, "version": TEXT}),
    model=model({"name": TEXT}),
    applicationVersion=TEXT,
    email=TEXT,
    phone=TEXT,
    secret=TEXT,
    keyUri=TEXT,
)

PAIRING_KEY = model(
    {
        **RESOURCE,
        "environment": REFERENCE,
        "user": REFERENCE,
        "code": TEXT,
        "status": one_of("UNCLAIMED", "CLAIMED", "FAILED"),
        "applications": many(REFERENCE),
        "createdAt": INSTANT,
        "updatedAt": INSTANT,
        "expiresAt": INSTANT,
    },
    error=model({"code": TEXT, "message": TEXT}),
    policy=REFERENCE,
)

DEVICE_AUTHENTICATION = model(
    {
        **RESOURCE,
        "environment": REFERENCE,
        "user": REFERENCE,
        "status": one_of(
            "OTP_REQUIRED",
            "DEVICE_SELECTION_REQUIRED",
            "ASSERTION_REQUIRED",
            "PUSH_CONFIRMATION_REQUIRED",
            "PUSH_CONFIRMATION_TIMED_OUT",
            "COMPLETED",
            "FAILED",
        ),
        "policy": REFERENCE,
        "createdAt": INSTANT,
        "updatedAt": INSTANT,
        "_embedded": model({"devices": many({"type": "object", "required": ["id", "type", "status"]})}),
    },
    application=REFERENCE,
    selectedDevice=model({}, id=TEXT, oneTime=model({"type": one_of("EMAIL", "SMS", "VOICE")}, email=TEXT, phone=TEXT)),
    bypassAllowed=FLAG,
    error=model({"code": TEXT, "message": TEXT}),
)

USER_MFA_ENABLED = model({"mfaEnabled": FLAG}, _links=LINKS)

def collection(name, items):
    """A page of a collection, with links to further pages."""
    return model({"_embedded": model({name: many(items)}), "_links": LINKS}, count=NUMBER, size=NUMBER)


def faults(value, rule):
    """Returns the violations of a model by a response, one per line."""
    validator = Draft202012Validator(rule, format_checker=FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
