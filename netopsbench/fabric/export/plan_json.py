"""A plan as JSON, and the schema of that JSON."""

import json

from netopsbench.fabric.plan import FabricPlan

SCHEMA_ID = "netopsbench/fabric-plan.schema.json"


def to_json(plan: FabricPlan) -> str:
    """The whole plan, indented."""
    return plan.model_dump_json(indent=2) + "\n"


def plan_schema() -> str:
    """JSON schema (2020-12) of what `to_json` writes."""
    schema = FabricPlan.model_json_schema(mode="serialization")
    named = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID, **schema}
    return json.dumps(named, indent=2) + "\n"
