"""The secret with the API keys, in AWS Secrets Manager."""

from typing import Any

from headwater.store.aws.client import translated_errors


class SecretsManagerSecret:
    """Reads the current version of a secret."""

    def __init__(self, client: Any, arn: str) -> None:
        self._client = client
        self._arn = arn

    def read(self) -> str:
        with translated_errors():
            text: str = self._client.get_secret_value(SecretId=self._arn)["SecretString"]
        return text
