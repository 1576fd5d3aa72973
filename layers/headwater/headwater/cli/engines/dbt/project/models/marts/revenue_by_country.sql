select country, sum(amount) as revenue, count(*) as orders
from {{ ref('paid_orders') }}
group by country
