#!/bin/sh
# An agent in shell: names a port that has no carrier. $NETOPSBENCH_ASK calls a tool and prints its result as JSON.
budget=$(grep -o '"tool_calls": *[0-9]*' | head -n 1 | tr -dc '0-9')
devices=$($NETOPSBENCH_ASK get_topology | grep -o '"device": "leaf[0-9]*"' | cut -d '"' -f 4 | sort -u)
calls=1
for device in $devices; do
    [ "$calls" -lt "$budget" ] || break
    calls=$((calls + 1))
    port=$($NETOPSBENCH_ASK get_device_interfaces device="$device" | sed 's/{"name": /\n&/g' |
        grep '"has_carrier": false' | grep -o '"name": "eth[0-9]*"' | cut -d '"' -f 4 | head -n 1)
    if [ -n "$port" ]; then
        place="{\"device\": \"$device\", \"interface\": \"$port\"}"
        echo "{\"verdict\": \"fault_detected\", \"findings\": [{\"fault_type\": \"link_down\", \"location\": $place}]}"
        exit 0
    fi
done
echo '{"verdict": "network_healthy", "confidence": 0.5}'
