import re
import os
