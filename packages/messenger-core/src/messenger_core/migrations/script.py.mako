"""${message}.

Revises: ${down_revision | comma,n}
"""

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}


def upgrade() -> None:
    """Brings the schema to this revision."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Refused: restore a backup instead."""
    raise NotImplementedError("a Messenger database is not downgraded: restore a backup")
